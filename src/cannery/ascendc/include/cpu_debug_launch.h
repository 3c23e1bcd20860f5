// The CPU twin's launch: nothing is needed here.
