"""The reference interpreter: the algebra on lists of tuples, as slow and as plain as can be."""
