"""Lower resolved sqlglot trees to the algebra. No other room knows both."""
