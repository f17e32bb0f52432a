"""Promises that hold for every coup, tried on many."""
