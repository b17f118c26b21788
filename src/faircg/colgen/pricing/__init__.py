"""Pricing: the search for rules of negative reduced cost, several ways."""
