# Reference p-values of paired predictive values, by R's DTComPair (pv.wgs):
#   Rscript tests/reference/predictive_values.R PATH_TO_DTComPair > tests/reference/predictive_values.json
# Cells: labelled positive by both, by the first alone, by the second alone, by neither.
sources <- list.files(file.path(commandArgs(TRUE)[1], "R"), full.names = TRUE)
for (each in sources) source(each)
cases <- list(
  list(diseased = c(80, 14, 14, 14), healthy = c(20, 14, 9, 135)),
  list(diseased = c(30, 2, 9, 4), healthy = c(3, 10, 1, 60)),
  list(diseased = c(7, 3, 0, 5), healthy = c(2, 1, 6, 40)),
  list(diseased = c(200, 40, 10, 50), healthy = c(30, 60, 10, 900))
)
spread <- function(cells, first) rep(if (first) c(1, 1, 0, 0) else c(1, 0, 1, 0), cells)
lines <- sapply(cases, function(case) {
  truth <- rep(c(1, 0), c(sum(case$diseased), sum(case$healthy)))
  tests <- lapply(c(TRUE, FALSE), function(first) c(spread(case$diseased, first), spread(case$healthy, first)))
  found <- pv.wgs(tab.paired(d = truth, y1 = tests[[1]], y2 = tests[[2]]))
  sprintf(
    '  {"diseased": [%s], "healthy": [%s], "precision": %.12g, "npv": %.12g}',
    paste(case$diseased, collapse = ", "), paste(case$healthy, collapse = ", "),
    found$ppv["p.value"], found$npv["p.value"]
  )
})
cat("[\n", paste(lines, collapse = ",\n"), "\n]\n", sep = "")
