"""Values: money, odds, cards, hands, wagers, formats, identifiers, the gaming day."""
