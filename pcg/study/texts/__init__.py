"""What pages say, in several languages."""
