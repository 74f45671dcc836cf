# Rscript peers.R PACKAGE FOLDER ROWS: version, then one line "task<TAB>seconds of CPU" for each job.
given <- commandArgs(trailingOnly = TRUE)
package <- given[1]; n <- as.integer(given[3])
suppressPackageStartupMessages(library(package, character.only = TRUE))
y <- readBin(file.path(given[2], "y"), "integer", n); s <- readBin(file.path(given[2], "s"), "double", n)
seconds <- function(job) { t <- min(replicate(2, sum(system.time(job())[c(1, 2)]))); t }
say <- function(task, job, times = 1) cat(task, "\t", times * seconds(job), "\n", sep = "")
cat(as.character(packageVersion(package)), "\n", sep = "")
few <- seq_len(n %/% 10)
if (package == "pROC") {
  curve <- function() roc(y, s, direction = "<", levels = c(0, 1), quiet = TRUE)
  say("AUROC", function() auc(curve()))
  say("AUROC with its interval", function() ci.auc(curve(), method = "delong"))
  small <- roc(y[few], s[few], direction = "<", levels = c(0, 1), quiet = TRUE)
  say("1,000 resamples", function() ci.auc(small, method = "bootstrap", boot.n = 10, progress = "none"), 100)
}
if (package == "PRROC") {
  say("AUROC", function() roc.curve(s[y == 1], s[y == 0]))
  say("all ROC and PR points", function() {
    roc.curve(s[y == 1], s[y == 0], curve = TRUE); pr.curve(s[y == 1], s[y == 0], curve = TRUE)
  })
}
if (package == "hmeasure") {
  say("H-measure", function() HMeasure(y[few], s[few]))
}
if (package == "precrec") {
  say("AUROC", function() evalmod(scores = s, labels = y, mode = "aucroc"))
  say("all ROC and PR points", function() evalmod(scores = s, labels = y))
}
