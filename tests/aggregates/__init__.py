"""Tests of the decisions: tables, shoes, coups and their banks, through commands."""
