# A text file as C string literals, one a line, with all of its bytes. Two question marks could begin a
# trigraph.
s/[\\"?]/\\&/g
s/^/"/
s/$/\\n"/
