# Standard errors of shares under sampling weights, strata and clusters, by R's survey package (Lumley).
#   Rscript tests/reference/make_survey_values.R > tests/reference/survey_values.json
suppressMessages({library(survey); library(jsonlite)})
set.seed(20)
n <- 120
d <- data.frame(stratum = rep(1:3, each = 40), cluster = rep(1:24, each = 5))
d$y <- rbinom(n, 1, .4)
d$s <- round(plogis(1.5 * d$y - .7 + rnorm(n)), 2)
d$w <- round(c(1, 4, 9)[d$stratum] * exp(rnorm(n) / 3), 2)
d$called <- as.integer(d$s >= .5)
d$tp <- d$y * d$called; d$fp <- (1 - d$y) * d$called; d$fn <- d$y * (1 - d$called); d$tn <- (1 - d$y) * (1 - d$called)
d$one <- 1; d$loss <- (d$s - d$y)^2; d$positive <- d$y; d$negative <- 1 - d$y
d$f1_top <- 2 * d$tp; d$f1_bottom <- 2 * d$tp + d$fp + d$fn; d$right <- d$tp + d$tn
ratios <- list(sensitivity = c("tp", "positive"), specificity = c("tn", "negative"), precision = c("tp", "called"),
               accuracy = c("right", "one"), f1 = c("f1_top", "f1_bottom"), brier = c("loss", "one"),
               prevalence = c("positive", "one"))
designs <- list(
  weights = svydesign(ids = ~1, weights = ~w, data = d),
  strata = svydesign(ids = ~1, strata = ~stratum, weights = ~w, data = d),
  groups = svydesign(ids = ~cluster, weights = ~w, data = d),
  both = svydesign(ids = ~cluster, strata = ~stratum, weights = ~w, data = d, nest = TRUE))
one <- function(design, pair) {
  r <- svyratio(as.formula(paste0("~", pair[1])), as.formula(paste0("~", pair[2])), design)
  list(value = unname(coef(r)), standard_error = unname(SE(r)))
}
found <- lapply(designs, function(design) lapply(ratios, function(pair) one(design, pair)))
cat(toJSON(list(made_by = paste("R", getRversion(), "survey", packageVersion("survey")),
                data = d[c("y", "s", "w", "stratum", "cluster")], found = found), digits = NA, auto_unbox = TRUE))
