// Puts hints and answers under their questions; see answers.rs.
(() => {
  'use strict';
  const { dataset } = document.documentElement;
  // One that was given up may come after all.
  if ('answered' in dataset) return;
  dataset.answered = '';
  const answers = {{answers}};
  for (const question of document.querySelectorAll('[data-quiz]')) {
    const [hints, answer] = answers[question.dataset.quiz];
    question.querySelector('.hints')?.insertAdjacentHTML('beforeend', hints);
    question.querySelector('.solution').insertAdjacentHTML('beforeend', answer);
  }
  document.dispatchEvent(new CustomEvent('memory-wall:more', { detail: '.hints, .solution' }));
})();
