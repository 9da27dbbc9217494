// Puts the answers under their questions; see answers.rs.
(() => {
  'use strict';
  const answers = {{answers}};
  for (const question of document.querySelectorAll('[data-quiz]')) {
    question.querySelector('.solution').insertAdjacentHTML('beforeend', answers[question.dataset.quiz]);
  }
  document.dispatchEvent(new CustomEvent('memory-wall:more'));
})();
