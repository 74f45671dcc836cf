# Sample sizes by R's presize (intervals) and pROC (tests of one AUC), from their sources:
#   Rscript tests/reference/sample_sizes.R PATH_TO_presize PATH_TO_pROC > tests/reference/sample_sizes.json
paths <- commandArgs(TRUE)
for (each in c("helper_functions", "descriptive_stats", "diagnostic")) source(file.path(paths[1], "R", paste0(each, ".R")))
for (each in c("power.roc.test", "obuchowski")) source(file.path(paths[2], "R", paste0(each, ".R")))
line <- function(question, rate, prevalence, goal, n) {
  sprintf('  {"question": "%s", "rate": %g, "prevalence": %g, "goal": %g, "n": %.12g}', question, rate, prevalence, goal, n)
}
found <- c()
for (prevalence in c(.05, .2, .6)) for (width in c(.05, .1, .2)) {
  for (rate in c(.55, .7, .9, .97)) {
    found <- c(
      found,
      line("sensitivity", rate, prevalence, width, prec_sens(rate, conf.width = width, method = "wilson")$n),
      line("specificity", rate, prevalence, width, prec_spec(rate, conf.width = width, method = "wilson")$n)
    )
  }
  for (rate in c(.6, .75, .9)) {
    found <- c(found, line("auroc", rate, prevalence, width, prec_auc(rate, prevalence, conf.width = width, tol = 1e-9)$n))
  }
}
for (prevalence in c(.2, .5)) for (power in c(.8, .95)) for (rate in c(.55, .6, .65, .7)) {
  asked <- power.roc.test.numeric(auc = rate, power = power, kappa = (1 - prevalence) / prevalence)
  found <- c(found, line("power", rate, prevalence, power, asked$ncases))
}
cat("[\n", paste(found, collapse = ",\n"), "\n]\n", sep = "")
