"""Verification: is the record whole, does it make sense, and is it the one that was sealed and signed?"""
