# The model of evaluators/preferences/mixed.py for sets of four, fitted by TMB (Laplace's approximation by automatic
# differentiation) to a table of choices: Rscript mixed_sets.R CHOICES.csv
# Columns: item1..item4, best, worst (places in the set, from 1), person; and GROUPS.csv beside it with a row for each
# item. Numbers from 1.
library(TMB, quietly = TRUE, warn.conflicts = FALSE)
d <- as.matrix(read.csv(commandArgs(TRUE)[1]))
group <- read.csv(file.path(dirname(commandArgs(TRUE)[1]), "GROUPS.csv"))$group
folder <- tempfile()
dir.create(folder)
source <- file.path(folder, "sets.cpp")
writeLines('
#include <TMB.hpp>
template<class Type> Type objective_function<Type>::operator() () {
  DATA_IMATRIX(shown);
  DATA_IVECTOR(best);
  DATA_IVECTOR(worst);
  DATA_IVECTOR(person);
  DATA_IVECTOR(group);
  PARAMETER_VECTOR(worth);
  PARAMETER_VECTOR(logsd);
  PARAMETER_VECTOR(item);
  PARAMETER_MATRIX(taste);
  Type told = 0;
  for (int k = 0; k < item.size(); k++) told -= dnorm(item(k), Type(0), exp(logsd(0)), true);
  for (int p = 0; p < taste.rows(); p++)
    for (int g = 0; g < taste.cols(); g++) told -= dnorm(taste(p, g), Type(0), exp(logsd(1)), true);
  for (int r = 0; r < shown.rows(); r++) {
    Type all = 0, rest = 0;
    vector<Type> u(shown.cols());
    for (int k = 0; k < shown.cols(); k++) {
      int one = shown(r, k), g = group(one);
      u(k) = item(one) + taste(person(r), g) + (g > 0 ? worth(g - 1) : Type(0));
      all += exp(u(k));
      if (k != best(r)) rest += exp(-u(k));
    }
    told -= u(best(r)) - log(all) - u(worst(r)) - log(rest);
  }
  return told;
}', source)
suppressMessages(compile(source, flags = "-O0 -w"))
dyn.load(dynlib(file.path(folder, "sets")))
people <- max(d[, "person"])
groups <- max(group)
model <- MakeADFun(
  list(shown = d[, 1:4] - 1L, best = d[, "best"] - 1L, worst = d[, "worst"] - 1L, person = d[, "person"] - 1L,
       group = group - 1L),
  list(worth = rep(0, groups - 1), logsd = c(-0.7, -0.7), item = rep(0, length(group)), taste = matrix(0, people, groups)),
  random = c("item", "taste"), DLL = "sets", silent = TRUE)
found <- nlminb(model$par, model$fn, model$gr, control = list(rel.tol = 1e-12))
errors <- summary(sdreport(model), "fixed")[, 2]
cat(exp(found$par[groups + 0:1]), found$par[1:(groups - 1)], errors[1:(groups - 1)], "\n")
