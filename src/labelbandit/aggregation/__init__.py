"""What many answers say together: agreement between workers."""
