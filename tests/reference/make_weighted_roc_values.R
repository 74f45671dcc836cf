# Weighted ROC curves and areas by the R package WeightedROC (Hocking), from the data of survey_values.json.
#   Rscript tests/reference/make_weighted_roc_values.R [FOLDER of its sources] > tests/reference/weighted_roc_values.json
suppressMessages(library(jsonlite))
sources <- commandArgs(trailingOnly = TRUE)
if (length(sources)) {
  for (each in list.files(file.path(sources[1], "R"), full.names = TRUE)) source(each)
  version <- read.dcf(file.path(sources[1], "DESCRIPTION"))[, "Version"]
} else {
  library(WeightedROC); version <- packageVersion("WeightedROC")
}
d <- fromJSON("tests/reference/survey_values.json")$data
one <- function(score) {
  curve <- WeightedROC(score, ifelse(d$y == 1, 1, -1), d$w)
  list(auroc = WeightedAUC(curve), fpr = curve$FPR, tpr = curve$TPR, threshold = curve$threshold)
}
found <- list(scores = one(d$s), `heavy ties` = one(floor(8 * d$s)), reversed = one(-d$s))
cat(toJSON(list(made_by = paste("R", getRversion(), "WeightedROC", version), found = found), digits = NA, auto_unbox = TRUE))
