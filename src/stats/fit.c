#include "config.h"

#include "stats/fit.h"

#include <math.h>
#include <string.h>

/* Terms this close to linear dependence are not told apart by any data. */
#define SINGULAR 1e-9

struct system {
    double a[FIT_TERMS][FIT_TERMS], inverse[FIT_TERMS][FIT_TERMS], b[FIT_TERMS];
};

/* Normal equations in relative units; terms left out get a row of the unit matrix. */
static void accumulate(const struct fit_point *points, size_t n, const bool use[FIT_TERMS],
                       const double scale[FIT_TERMS], struct system *s)
{
    memset(s, 0, sizeof *s);
    for (size_t p = 0; p < n; p++) {
        for (int i = 0; i < FIT_TERMS; i++) {
            double xi = points[p].x[i] / scale[i] / points[p].y;
            for (int j = 0; use[i] && j < FIT_TERMS; j++)
                if (use[j])
                    s->a[i][j] += xi * points[p].x[j] / scale[j] / points[p].y;
            if (use[i])
                s->b[i] += xi;
        }
    }
    for (int i = 0; i < FIT_TERMS; i++)
        if (!use[i])
            s->a[i][i] = 1;
}

/* Gauss-Jordan with pivoting, on a copy. False when singular. */
static bool invert(struct system *s)
{
    double m[FIT_TERMS][2 * FIT_TERMS];
    for (int i = 0; i < FIT_TERMS; i++)
        for (int j = 0; j < FIT_TERMS; j++) {
            m[i][j] = s->a[i][j];
            m[i][FIT_TERMS + j] = i == j;
        }
    for (int c = 0; c < FIT_TERMS; c++) {
        int pivot = c;
        for (int r = c + 1; r < FIT_TERMS; r++)
            if (fabs(m[r][c]) > fabs(m[pivot][c]))
                pivot = r;
        if (fabs(m[pivot][c]) < SINGULAR * fabs(s->a[c][c]) || m[pivot][c] == 0)
            return false;
        for (int j = 0; j < 2 * FIT_TERMS; j++) {
            double kept = m[c][j];
            m[c][j] = m[pivot][j];
            m[pivot][j] = kept;
        }
        double factor = m[c][c];
        for (int j = 0; j < 2 * FIT_TERMS; j++)
            m[c][j] /= factor;
        for (int r = 0; r < FIT_TERMS; r++) {
            double times = m[r][c];
            for (int j = 0; r != c && j < 2 * FIT_TERMS; j++)
                m[r][j] -= times * m[c][j];
        }
    }
    for (int i = 0; i < FIT_TERMS; i++)
        for (int j = 0; j < FIT_TERMS; j++)
            s->inverse[i][j] = m[i][FIT_TERMS + j];
    return true;
}

static bool solve(const struct fit_point *points, size_t n, const bool use[FIT_TERMS],
                  struct fit *fit)
{
    double scale[FIT_TERMS] = {1, 1, 1};
    size_t terms = 0;
    for (int i = 0; i < FIT_TERMS; i++) {
        terms += use[i];
        for (size_t p = 0; p < n; p++)
            scale[i] = fmax(scale[i], points[p].x[i]);
    }
    struct system s;
    if (n < terms || terms == 0)
        return false;
    accumulate(points, n, use, scale, &s);
    if (!invert(&s))
        return false;
    for (int i = 0; i < FIT_TERMS; i++) {
        fit->coefficient[i] = NAN;
        double sum = 0;
        for (int j = 0; j < FIT_TERMS; j++)
            sum += s.inverse[i][j] * s.b[j];
        if (use[i])
            fit->coefficient[i] = sum / scale[i];
    }
    double squares = 0;
    for (size_t p = 0; p < n; p++) {
        double residual = (fit_predict(fit, points[p].x) - points[p].y) / points[p].y;
        squares += residual * residual;
    }
    fit->relative_error = sqrt(squares / (double)n);
    for (int i = 0; i < FIT_TERMS; i++)
        fit->error[i] = use[i] && n > terms
                            ? sqrt(squares / (double)(n - terms) * s.inverse[i][i]) / scale[i]
                            : NAN;
    return true;
}

double fit_predict(const struct fit *fit, const double x[FIT_TERMS])
{
    double y = 0;
    for (int i = 0; i < FIT_TERMS; i++)
        if (!isnan(fit->coefficient[i]))
            y += fit->coefficient[i] * x[i];
    return y;
}

void fit_costs(const struct fit_point *points, size_t n, const bool use[FIT_TERMS], struct fit *fit)
{
    bool used[FIT_TERMS], dropped[FIT_TERMS] = {false};
    memcpy(used, use, sizeof used);
    *fit = (struct fit){0};
    for (;;) {
        fit->solved = solve(points, n, used, fit);
        int worst = -1;
        for (int i = 0; fit->solved && i < FIT_TERMS; i++)
            if (fit->coefficient[i] < 0 && (worst < 0 || i > worst))
                worst = i;
        if (worst < 0)
            break;
        used[worst] = false;
        dropped[worst] = true;
    }
    for (int i = 0; i < FIT_TERMS; i++)
        if (fit->solved && dropped[i])
            fit->coefficient[i] = 0;
}
