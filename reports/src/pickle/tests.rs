//! Pickles as Python writes them, and as nobody should.

use super::*;
use alloc::string::ToString as _;
use alloc::vec;

fn plain(input: &[u8]) -> Result<(Values<'_>, Value), Unreadable> {
    read(input, &mut ())
}

fn refused(input: &[u8]) -> String {
    plain(input).unwrap_err().to_string()
}

/// `pickle.dumps({"a": [1, -2, 1.5, None, True, 2**64 - 1, 300, "é"], "b": (1, 2)}, protocol)` of Python 3.11, protocols 2, 4 and 5.
const WRITTEN: [&[u8]; 3] = [
    b"\x80\x02}q\x00(X\x01\x00\x00\x00aq\x01]q\x02(K\x01J\xfe\xff\xff\xffG?\xf8\x00\x00\x00\x00\x00\x00N\x88\x8a\t\xff\xff\xff\xff\xff\xff\xff\xff\x00M,\x01X\x02\x00\x00\x00\xc3\xa9q\x03eX\x01\x00\x00\x00bq\x04K\x01K\x02\x86q\x05u.",
    b"\x80\x04\x95<\x00\x00\x00\x00\x00\x00\x00}\x94(\x8c\x01a\x94]\x94(K\x01J\xfe\xff\xff\xffG?\xf8\x00\x00\x00\x00\x00\x00N\x88\x8a\t\xff\xff\xff\xff\xff\xff\xff\xff\x00M,\x01\x8c\x02\xc3\xa9\x94e\x8c\x01b\x94K\x01K\x02\x86\x94u.",
    b"\x80\x05\x95<\x00\x00\x00\x00\x00\x00\x00}\x94(\x8c\x01a\x94]\x94(K\x01J\xfe\xff\xff\xffG?\xf8\x00\x00\x00\x00\x00\x00N\x88\x8a\t\xff\xff\xff\xff\xff\xff\xff\xff\x00M,\x01\x8c\x02\xc3\xa9\x94e\x8c\x01b\x94K\x01K\x02\x86\x94u.",
];

#[test]
fn the_protocols_hold_the_same_values() {
    for input in WRITTEN {
        let (values, root) = plain(input).unwrap();
        let Value::Object(root) = root else { panic!("{root:?}") };
        let Some(Value::List(list)) = values.field(root, b"a") else { panic!() };
        let items: Vec<Value> = values.items(list).collect();
        assert_eq!(
            items[..7],
            [
                Value::Whole(1),
                Value::Negative(-2),
                Value::Number(1.5),
                Value::Nothing,
                Value::Switch(true),
                Value::Whole(u64::MAX),
                Value::Whole(300)
            ]
        );
        let Value::Text(text) = items[7] else { panic!() };
        assert_eq!(values.text(text), "é".as_bytes());
        let Some(Value::List(pair)) = values.field(root, b"b") else { panic!() };
        assert_eq!(values.items(pair).collect::<Vec<_>>(), [Value::Whole(1), Value::Whole(2)]);
    }
}

#[test]
fn every_opcode_that_could_run_something_is_refused_by_name_and_place() {
    // `os.system("id")` as protocol 2 and 4 write it.
    let old = refused(b"\x80\x02cos\nsystem\nq\x00X\x02\x00\x00\x00idq\x01\x85q\x02Rq\x03.");
    assert!(old.starts_with("byte 2: GLOBAL of os.system would run code"), "{old}");
    let new = refused(b"\x80\x04\x8c\x05posix\x94\x8c\x06system\x94\x93\x94\x8c\x02id\x94\x85\x94R\x94.");
    assert!(new.starts_with("byte 19: STACK_GLOBAL of posix.system would run code"), "{new}");
    for opcode in *b"RboiPQ\x81\x82\x83\x84\x92" {
        let words = refused(&[0x80, 4, b'N', b'N', opcode, b'.']);
        assert!(words.starts_with("byte 4: ") && words.contains("nothing was run"), "{words}");
    }
}

#[test]
fn broken_pickles_are_refused_in_words() {
    let cases: [(&[u8], &str); 12] = [
        (b"", "byte 0: this is not a pickle"),
        (b"PK\x03\x04", "byte 0: this is not a pickle"),
        (b"\x80\x01.", "byte 1: pickle protocol 1 is not read"),
        (b"\x80\x06N.", "byte 1: pickle protocol 6 is not read"),
        (b"\x80\x04.", "byte 2: it takes a value where there is none"),
        (b"\x80\x04e.", "byte 2: it closes a list"),
        (b"\x80\x04N(e.", "byte 4: it adds items to nothing"),
        (b"\x80\x04}(Nu.", "byte 5: an object has a name without a value"),
        (b"\x80\x04h\x09.", "byte 2: it refers to value 9"),
        (b"\x80\x04\xff.", "byte 2: 0xff is not an opcode"),
        (b"\x80\x04N.N", "byte 4: 1 bytes follow"),
        (b"\x80\x04\x8f.", "byte 2: EMPTY_SET is not"),
    ];
    for (input, words) in cases {
        let said = refused(input);
        assert!(said.starts_with(words), "{said}, and not {words}");
    }
}

#[test]
fn lengths_beyond_the_file_reserve_nothing() {
    for (head, length) in [(op::BINUNICODE8, u64::MAX), (op::BINBYTES8, 1 << 63), (op::FRAME, u64::MAX)] {
        let input = [&[0x80, 4, head][..], &length.to_le_bytes(), b"."].concat();
        assert!(refused(&input).contains("more than the rest of the file"));
    }
    let wide = [&[0x80, 4, op::LONG4][..], &(1_u32 << 31).to_le_bytes(), b"."].concat();
    assert!(refused(&wide).contains("more than the rest of the file"));
    let number = [&[0x80, 4, op::LONG1, 10][..], &[1; 10], b"."].concat();
    assert!(refused(&number).contains("wider than 64 bits"));
    let memo = [&[0x80, 4, b'N', op::LONG_BINPUT][..], &u32::MAX.to_le_bytes(), b"."].concat();
    assert!(refused(&memo).contains("has not numbered"));
}

#[test]
fn every_place_to_cut_is_said() {
    for input in WRITTEN {
        for end in 0..input.len() {
            assert!(plain(&input[..end]).is_err(), "{end}");
        }
    }
}

#[test]
fn a_billion_laughs_cost_their_bytes() {
    // Sixty levels, each twice the one before it.
    let mut input = vec![0x80, 4, op::EMPTY_LIST, op::MEMOIZE];
    for level in 0..60 {
        input.extend([op::EMPTY_LIST, op::MEMOIZE, op::MARK, op::BINGET, level, op::BINGET, level, op::APPENDS]);
    }
    input.push(op::STOP);
    // What is left on the stack below the last one is nobody's.
    let (values, _) = plain(&input).unwrap();
    assert_eq!(values.count(), 61 + 2 * 60);
}

#[test]
fn what_holds_itself_is_a_value_like_any_other() {
    let input = [0x80, 4, op::EMPTY_LIST, op::MEMOIZE, op::BINGET, 0, op::APPEND, op::STOP];
    let (values, root) = plain(&input).unwrap();
    let Value::List(list) = root else { panic!() };
    assert_eq!(values.items(list).collect::<Vec<_>>(), [Value::List(list)]);
}

#[test]
fn millions_of_nested_lists_are_refused_without_a_deep_stack() {
    let mut input = vec![0x80, 4];
    input.extend([op::EMPTY_LIST].repeat(3_000_000));
    input.extend([op::APPEND].repeat(2_999_999));
    input.push(op::STOP);
    let start = std::time::Instant::now();
    assert!(refused(&input).contains("more lists and objects"));
    assert!(start.elapsed().as_millis() < 1_000);
}

#[test]
fn lists_that_grow_in_turn_keep_their_order() {
    // Two lists, to which items are added in turn: as a pickler never does.
    let mut input = vec![0x80, 4, op::EMPTY_LIST, op::MEMOIZE, op::EMPTY_LIST, op::MEMOIZE];
    for number in 0..200 {
        input.extend([op::BINGET, number % 2, op::BININT1, number, op::APPEND]);
    }
    input.extend([op::BINGET, 1, op::STOP]);
    let (values, root) = plain(&input).unwrap();
    let Value::List(list) = root else { panic!() };
    let numbers: Vec<u64> = values.items(list).filter_map(Value::whole).collect();
    assert_eq!(numbers, (0..200).filter(|number| number % 2 == 1).collect::<Vec<u64>>());
}
