"""A coup as a page that can be printed and handed over: one file that asks nothing of any other."""
