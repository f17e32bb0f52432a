"""Everything that runs: the only room that reads settings, clocks, files and sockets."""
