"""The measurements: that what they measure is what they say."""
