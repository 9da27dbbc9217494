//! Every set is within its bound, on the rows that the project carries.

use memory_wall_accuracy::{Data, Set, all};

#[test]
fn every_set_is_within_its_bound() {
    for set in all(&Data::carried()) {
        let (mean, max) = (Set::mean_abs_error(set.held()), Set::max_abs_error(set.held()));
        assert!(set.ok(), "{}: mean {mean:?}, max {max:?}, bound {:?}", set.name, set.bound);
        assert!(!set.rows.is_empty(), "{} has no rows", set.name);
    }
}
