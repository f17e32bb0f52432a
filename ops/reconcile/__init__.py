"""The daily job: the cage's count sheet, the report of a day, and the close of the day."""
