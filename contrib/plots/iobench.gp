# Draws a figure of a run that was exported for gnuplot (5.2 or later):
#
#     iobench read --block-size=4k,16k,64k,256k --export=run.dat file
#     gnuplot -c contrib/plots/iobench.gp run.dat run.svg [FIGURE]
#
# FIGURE is the name of a column, such as bytes_per_s (the default, but events_per_s where events are
# counted), cpu_ns_per_byte or latency_p99_ns. The picture is SVG, PNG or PDF, by its ending. A sweep becomes lines
# over the parameter that was swept, anything else bars; whiskers go from the 10th to the 90th percentile
# of the trials, and a series without that parameter is a dashed line. What was not measured is not drawn.

if (ARGC < 2 || ARGC > 3) {
    printerr "usage: gnuplot -c iobench.gp RUN.dat PICTURE.svg|.png|.pdf [FIGURE]"
    exit status 2
}
data = ARG1
picture = ARG2

ending = strlen(picture) > 4 ? picture[strlen(picture) - 3:] : ""
if (ending eq ".svg") {
    set terminal svg size 900,560 dynamic noenhanced font "sans,14" background "white"
} else { if (ending eq ".png") {
    set terminal pngcairo size 900,560 noenhanced font "sans,11" background "white"
} else { if (ending eq ".pdf") {
    set terminal pdfcairo size 18cm,11cm noenhanced font "sans,11" background "white"
} else {
    printerr "iobench.gp: '".picture."' ends in none of .svg .png .pdf"
    exit status 2
} } }

# --- what the file holds

# Everything here is read by plotting nothing.
set xrange [-1:1e6]
set yrange [-1:1]

# The comments, which gnuplot passes over otherwise: "# iobench VERSION COMMAND: ...", "# x: NAME", and
# "# COLUMN: FIGURE (UNIT), ...".
swept = ""
caption = ""
asked = ARGC == 3 ? ARG3 : "events_per_s"
other = ARGC == 3 ? ARG3 : "bytes_per_s" # where no events are counted
array at[2] = [0, 0]
array unit[2]
number(text) = int(text[1:strlen(text) - 1])
command(text) = text[1:strlen(text) - 1] # without the colon
is_head(k) = strcol(k) eq "iobench"
set datafile commentschars "\001"
set table $comments
plot data using (strcol(1) ne "#" ? 0 : is_head(2) ? (caption = "iobench ".strcol(3)." ".command(strcol(4)), 0) : \
    strcol(2) eq "x:" ? (swept = strcol(3), 0) : \
    strcol(3) eq asked ? (at[1] = number(strcol(2)), unit[1] = strcol(4), 0) : \
    strcol(3) eq other ? (at[2] = number(strcol(2)), unit[2] = strcol(4), 0) : 0)
unset table
set datafile commentschars "#"
if (caption eq "") {
    printerr "iobench.gp: '".data."' was not written by iobench --export=FILE.dat"
    exit status 1
}
if (at[1] == 0) {
    printerr "iobench.gp: there is no figure '".asked."'"
    exit status 1
}

# Blocks, and the title of each: the first word of its first line.
most = 1000
array title[most]
series = 0
set table $titles
plot data using (column(0) == 0 ? (series = series + 1, title[series] = strcol(1), 0) : 0)
unset table
if (series == 0) {
    printerr "iobench.gp: nothing was measured in '".data."'"
    exit status 1
}

# Series with values on the x axis (how many), and with a value on the y axis.
array values[most]
array level[most]
do for [try = 1:2] {
    if (at[try] == 0) { continue }
    shown = 0
    sweeps = 0
    do for [i = 1:series] {
        values[i] = 0
        level[i] = NaN
        set table $rows
        plot data index i - 1 every ::1 using (strcol(at[try]) eq "?" ? 0 : \
            (level[i] = real(strcol(at[try])), values[i] = values[i] + (strcol(1) ne "?"), 0))
        unset table
        shown = shown + (level[i] == level[i])
        sweeps = sweeps + (values[i] > 1)
    }
    figure = try == 1 ? asked : other
    units = unit[try]
    if (shown > 0) { break }
}
if (shown == 0) {
    printerr "iobench.gp: nothing in '".data."' has the figure '".asked."'"
    exit status 1
}

# Lines: those that have values on the x axis. Flat ones: those that have none.
array line[series]
array flat[series]
lines = 0
flats = 0
do for [i = 1:series] {
    line[i] = 1 # a loop over none of them is looked at all the same
    flat[i] = 1
}
do for [i = 1:series] {
    if (values[i] > 0) { lines = lines + 1; line[lines] = i } else {
        if (level[i] == level[i]) { flats = flats + 1; flat[flats] = i }
    }
}

# --- the picture

set datafile missing "?"
set output picture
set title caption noenhanced
set ylabel figure." ".units[1:strstrt(units, ")")] noenhanced
set format y "%.1s %c"
set yrange [0:*]
set grid ytics
set key outside right top noenhanced
set tics nomirror
set border 3
has_range = strstrt(figure, "latency_") != 1
# Okabe and Ito's colours, which most eyes tell apart
set linetype 1 linecolor rgb "#0072b2" pointtype 7
set linetype 2 linecolor rgb "#d55e00" pointtype 5
set linetype 3 linecolor rgb "#009e73" pointtype 9
set linetype 4 linecolor rgb "#cc79a7" pointtype 11
set linetype 5 linecolor rgb "#e69f00" pointtype 13
set linetype 6 linecolor rgb "#56b4e9" pointtype 4
set linetype 7 linecolor rgb "#000000" pointtype 6
set linetype cycle 7

# A command may be long.
set encoding utf8
short(text) = strlen(text) > 40 ? text[1:39]."…" : text
low(name) = has_range ? column(name."_p10") : column(name)
high(name) = has_range ? column(name."_p90") : column(name)

if (sweeps > 0) {
    set xlabel swept noenhanced
    set logscale x 2
    set format x "%.0f"
    set xtics rotate by -45
    set xrange [*:*]
    set offsets graph 0.03, graph 0.03, 0, 0
    plot for [k = 1:lines] data index line[k] - 1 \
            using 1:(column(figure)):(low(figure)):(high(figure)) with yerrorlines \
            linetype line[k] title title[line[k]], \
        for [k = 1:flats] level[flat[k]] with lines linetype flat[k] dashtype 2 title title[flat[k]]
} else {
    set style fill solid 0.7
    set boxwidth 0.7
    set xrange [0.3:series + 0.7]
    unset key
    set xtics rotate by -30 noenhanced
    set xtics ()
    do for [i = 1:series] { set xtics add (short(title[i]) i) }
    plot for [i = 1:series] data index i - 1 using (i):(column(figure)) with boxes linetype i, \
        for [i = 1:series] data index i - 1 \
            using (i):(column(figure)):(low(figure)):(high(figure)) with yerrorbars \
            linecolor rgb "black" pointtype 0 pointsize 0
}
set output
