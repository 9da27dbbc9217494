// Puts the answers under their questions; see answers.rs.
(() => {
  'use strict';
  const { dataset } = document.documentElement;
  // One that was given up may come after all.
  if ('answered' in dataset) return;
  dataset.answered = '';
  const answers = {{answers}};
  for (const question of document.querySelectorAll('[data-quiz]')) {
    question.querySelector('.solution').insertAdjacentHTML('beforeend', answers[question.dataset.quiz]);
  }
  document.dispatchEvent(new CustomEvent('memory-wall:more', { detail: '.solution' }));
})();
