"""The independent oracle: what regulation 6 says a coup, and a night of coups, must come to.

Tests hold the product against this package. It is written from the text of the regulation, from the rules
of the games as published and from exact counting, so it may never import ``ledger``, ``projections`` or
``ops``: a figure that comes out of the code under test proves nothing about that code. It uses the
standard library alone, and where the product looks things up in tables it spells them out in words.
"""
