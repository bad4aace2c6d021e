# analyze/page/words.awk - the words that heterotune(7) explains, as the initialisers of a table in C.
# SPDX-License-Identifier: LGPL-2.1-or-later

function quoted(s) {
	gsub(/\\&/, "", s)
	gsub(/\\/, "\\\\", s)
	gsub(/"/, "\\\"", s)
	return "\"" s "\""
}

function end_word() {
	if (word != "")
		print "{" quoted(word) ", " quoted(text) "},"
	word = text = ""
}

# ".Pq Xr heterotune-run 5 ." is "(heterotune-run(5)).", ".Em area bound" is "area bound".
function plain(line) {
	if (line ~ /^\.Pq Xr /) {
		split(line, part, " ")
		return "(" part[3] "(" part[4] "))" part[5]
	}
	if (line ~ /^\.Xr /) {
		split(line, part, " ")
		return part[2] "(" part[3] ")" part[4]
	}
	sub(/^\.[A-Z][a-z] /, "", line)
	sub(/ ([.,;:])$/, substr(line, length(line)), line)
	return line
}

/^\.Sh / { end_word(); inside = $2 == "WORDS"; next }
!inside || /^\.(Bl|El)/ { next }
/^\.It / { end_word(); word = substr($0, 5); next }
{ text = text (text == "" ? "" : " ") plain($0) }
END { end_word() }
