"""Exports: what the ledger adds up to, for spreadsheets, accountants' journals and data warehouses."""
