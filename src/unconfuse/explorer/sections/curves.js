section('curves', 'More pictures of the scores', 'Curves', () => MODELS.length > 0 && Object.keys(MODELS[0].curves).length > 0, root => {
  const grid = h('div', {class: 'grid'}), has = name => MODELS.some(each => each.curves[name]);
  root.append(grid);
  if (has('gain')) grid.append(figure('Gain', overlay('gain', {label: 'Cumulative gain', x: 'Share of cases looked at, best first', y: 'Share of positives found', baselines: ['chance', 'perfect'],
    point: (each, stop) => { const c = each.counts[stop]; return [c.labelled_positive / c.total, c.tp / c.positives, `Looking at ${percentText(c.labelled_positive / c.total)} of the cases finds ${percentText(c.tp / c.positives)} of the positives`]; },
    say: (x, y) => `looking at the best ${percentText(x)} finds ${percentText(y)} of the positives`}), 'If there is time to look at only some cases: how many of the positives are among them. The thin lines are a random order and a perfect one.'));
  if (has('precision_recall_gain')) grid.append(figure('Precision-recall gain', overlay('precision_recall_gain', {label: 'Precision-recall gain curve', x: 'Recall gain', y: 'Precision gain', baselines: ['chance']}), 'Precision and recall on scales where 0 is the prevalence and 1 is perfect, so that straight lines and areas mean something.'));
  if (has('reliability')) grid.append(figure('Reliability', reliabilityPicture(), 'Taken as probabilities, do the scores keep their word? On the diagonal, of the cases with a score of 30%, 30% are positive. The line needs no bins; the dots are ten bins with their intervals.'));
  if (has('decision_curve')) grid.append(figure('Decision curve', decisionPicture(), 'Net benefit for those who would act from a given probability on. The label is worth using where its line lies above both thin lines: acting on all, acting on none.'));
});

function reliabilityPicture() {
  const picture = perModel(each => {
    const found = each.curves.reliability, plot = chart({label: `Reliability of ${each.title}`, x: {low: 0, high: 1, label: 'Stated probability'}, y: {low: 0, high: 1, label: 'Share that was positive'}});
    plot.line([0, 1], [0, 1], 'baseline');
    if (found) {
      plot.line(numbers(found.x), numbers(found.y), each.colour);
      const bins = found.bins, at = numbers(bins.score);
      at.forEach((x, i) => plot.marks.append(s('line', {class: `whisker ${each.colour}`, x1: plot.X(x), x2: plot.X(x), y1: plot.Y(number(bins.low[i])), y2: plot.Y(number(bins.high[i]))}), s('circle', {class: `point ${each.colour}`, r: 4, cx: plot.X(x), cy: plot.Y(number(bins.share[i]))})));
      plot.hover(v => `stated ${percentText(v)}: ${percentText(heightAt(numbers(found.x), numbers(found.y), v))} were positive`);
    }
    return {node: plot.wrap, follow: () => {}};
  });
  return picture;
}

function decisionPicture() {
  const top = Math.max(...MODELS.flatMap(each => each.curves.decision_curve ? numbers(each.curves.decision_curve.y) : [0]), 0.01);
  return overlay('decision_curve', {label: 'Decision curve', x: 'Probability from which one would act', y: 'Net benefit per person', yLow: -0.2 * top, yHigh: 1.1 * top, baselines: ['treat_all', 'treat_none'],
    say: (x, y) => `acting from ${percentText(x)} on: net benefit ${numberText(y)}`});
}
