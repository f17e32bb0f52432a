"""Published figures of punto banco and of the odds of 19 to 20, as literals.

The counts are ordered draws of six cards from a full shoe, with no burned card and no cut card. A gain is
the bettor's, for each unit staked; the edge is minus the gain, in per cent, stand-offs in the denominator
unless the name says that ties are excluded.
"""

from __future__ import annotations

from fractions import Fraction

COUNTS: dict[int, dict[str, int]] = {
    8: {
        "total": 4_998_398_275_503_360,
        "banker": 2_292_252_566_437_888,
        "player": 2_230_518_282_592_256,
        "tie": 475_627_426_473_216,
        "natural": 1_714_696_016_515_584,
        "banker-six": 269_232_304_455_680,
    },
    6: {
        "total": 878_869_206_895_680,
        "banker": 403_095_751_234_560,
        "player": 392_220_492_728_832,
        "tie": 83_552_962_932_288,
        "natural": 301_554_615_390_336,
        "banker-six": 47_322_230_031_360,
    },
    1: {
        "total": 14_658_134_400,
        "banker": 6_737_232_640,
        "player": 6_548_674_432,
        "tie": 1_372_227_328,
        "natural": 5_048_422_656,
        "banker-six": 783_208_320,
    },
}

# By the number of cards dealt: four, five, six.
BY_CARDS_DEALT: dict[int, dict[str, tuple[int, int, int]]] = {
    8: {
        "banker": (857_541_897_461_760, 783_893_126_688_768, 650_817_542_287_360),
        "player": (857_541_897_461_760, 599_464_498_483_200, 773_511_886_647_296),
        "tie": (178_651_816_535_040, 133_377_183_608_832, 163_598_426_329_344),
    },
    6: {
        "banker": (150_822_526_643_712, 137_873_769_318_144, 114_399_455_272_704),
        "player": (150_822_526_643_712, 105_442_847_006_976, 135_955_119_078_144),
        "tie": (31_380_506_986_752, 23_455_161_287_424, 28_717_294_658_112),
    },
}

MEAN_CARDS: dict[int, str] = {8: "4.938818849691652", 6: "4.938610101660303"}

PROBABILITY: dict[int, dict[str, str]] = {
    8: {"banker": "0.458597422632763", "player": "0.446246609343597", "tie": "0.095155968023640"},
    6: {"banker": "0.458652718825324", "player": "0.446278569838877", "tie": "0.095068711335799"},
    1: {"banker": "0.459624155172162", "player": "0.446760430304146", "tie": "0.093615414523693"},
}

EXPECTED_GAIN: dict[int, dict[str, Fraction]] = {
    8: {
        "player 1:1": Fraction(-241149546272, 19524993263685),
        "banker 19:20, draw returned": Fraction(-114753351728, 10847218479825),
        "banker 1:1, draw returned": Fraction(241149546272, 19524993263685),
        "tie 8:1": Fraction(-103841353768, 723147898655),
        "banker 1:1, 1:2 on six": Fraction(-284694798368, 19524993263685),
    },
    6: {
        "player 1:1": Fraction(-18880657128, 1525814595305),
        "banker 19:20, draw returned": Fraction(-460294100, 43594702723),
        "banker 1:1, draw returned": Fraction(18880657128, 1525814595305),
        "tie 8:1": Fraction(-220299549488, 1525814595305),
        "banker 1:1, 1:2 on six": Fraction(-716053792, 49219825655),
    },
}

EDGE_PER_CENT: dict[int, dict[str, str]] = {
    8: {
        "player 1:1": "1.2350813289",
        "banker 19:20, draw returned": "1.0579057842",
        "banker 1:1, draw returned": "-1.2350813289",
        "tie 8:1": "14.3596287787",
        "tie 9:1": "4.8440319764",
        "banker 19:20, draw lost": "10.5735025866",
        "banker 1:1, 1:2 on six": "1.4581044640",
        "player, ties excluded": "1.3649659889",
        "banker 19:20, ties excluded": "1.1691581608",
    },
    6: {
        "player 1:1": "1.2374148986",
        "banker 19:20, draw returned": "1.0558486955",
        "banker 1:1, draw returned": "-1.2374148986",
        "tie 8:1": "14.4381597978",
        "tie 9:1": "4.9312886642",
        "banker 19:20, draw lost": "10.5627198291",
        "banker 1:1, 1:2 on six": "1.4548076562",
        "player, ties excluded": "1.3674130999",
        "banker 19:20, ties excluded": "1.1667722276",
    },
}

# Stake, what 19 to 20 comes to exactly, and the next whole penny: all in pence.
NINETEEN_TO_TWENTY: list[tuple[int, Fraction, int]] = [
    (1, Fraction("0.95"), 1),
    (10, Fraction("9.5"), 10),
    (25, Fraction("23.75"), 24),
    (30, Fraction("28.5"), 29),
    (99, Fraction("94.05"), 95),
    (105, Fraction("99.75"), 100),
    (250, Fraction("237.5"), 238),
    (333, Fraction("316.35"), 317),
    (1005, Fraction("954.75"), 955),
]
