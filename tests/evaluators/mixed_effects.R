# The model of evaluators/preferences/mixed.py, fitted by lme4 to a table of votes: Rscript mixed_effects.R VOTES.csv
# Columns: first (1: the item shown first was preferred), item1, item2, group1, group2, person; numbers from 1.
library(lme4, quietly = TRUE, warn.conflicts = FALSE)
d <- read.csv(commandArgs(TRUE)[1])
n <- nrow(d)
signs <- function(a, b, size) {
  made <- matrix(0, n, size)
  made[cbind(1:n, a)] <- 1
  made[cbind(1:n, b)] <- made[cbind(1:n, b)] - 1
  made
}
g <- max(d$group1, d$group2)
items <- signs(d$item1, d$item2, max(d$item1, d$item2))
tastes <- signs((d$person - 1) * g + d$group1, (d$person - 1) * g + d$group2, max(d$person) * g)
frame <- data.frame(y = d$first, item = factor(rep_len(1:2, n)), taste = factor(rep_len(1:3, n)))
frame$X <- signs(d$group1, d$group2, g)[, -1, drop = FALSE]
model <- glFormula(y ~ 1 + X + (1 | item) + (1 | taste), data = frame, family = binomial)
sizes <- c(ncol(items), ncol(tastes))
model$reTrms$Zt <- as(Matrix::Matrix(t(cbind(items, tastes)), sparse = TRUE), "dgCMatrix")
model$reTrms$Lambdat <- Matrix::sparseMatrix(1:sum(sizes), 1:sum(sizes), x = 1)
model$reTrms$Lind <- rep(1:2, sizes)
model$reTrms$theta <- c(1, 1)
model$reTrms$Gp <- c(0L, cumsum(as.integer(sizes)))
model$reTrms$cnms <- list(item = "(Intercept)", taste = "(Intercept)")
deviance <- do.call(mkGlmerDevfun, c(model, list(control = glmerControl(tolPwrss = 1e-11))))
first <- optimizeGlmer(deviance, control = list(rhoend = 1e-9))
deviance <- updateGlmerDevfun(deviance, model$reTrms)
found <- optimizeGlmer(deviance, stage = 2, control = list(maxfun = 1e5))$par
spread <- solve(optimHess(found, deviance) / 2)
cat(found, sqrt(diag(spread)), "\n")
