"""The default call of the library on many real data sets, beside other methods."""
