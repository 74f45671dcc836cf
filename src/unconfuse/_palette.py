"""The colours of every picture, on paper and on pages."""

# Okabe & Ito's palette, which people with any kind of colour vision can tell apart.
BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9"
COLOURS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY)
GREY, INK, FAINT = "#8a8a8a", "#222222", "#e6e6e6"
