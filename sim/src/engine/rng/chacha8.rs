//! ChaCha8, one block of sixteen words at a time. Word for word what `rand_chacha::ChaCha8Rng` gives for the same key
//! and stream (a test compares them); that one makes four blocks whenever it makes one, and a short run needs ten
//! words.

use std::array;

/// Words of a block.
pub(super) const WORDS: usize = 16;

/// "expand 32-byte k", as the cipher's definition has it.
const CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];

/// Block number `counter` of `stream` under `key`.
pub(super) fn block(key: &[u32; 8], stream: u64, counter: u64) -> [u32; WORDS] {
    let [k0, k1, k2, k3, k4, k5, k6, k7] = *key;
    let start = [
        CONSTANTS,
        [k0, k1, k2, k3],
        [k4, k5, k6, k7],
        [counter as u32, (counter >> 32) as u32, stream as u32, (stream >> 32) as u32],
    ];
    let mut rows = start;
    for _double_round in 0..4 {
        quarter_rounds(&mut rows);
        // The second quarter rounds run along the diagonals: turn them into columns and back.
        rows = [rows[0], turn(rows[1], 1), turn(rows[2], 2), turn(rows[3], 3)];
        quarter_rounds(&mut rows);
        rows = [rows[0], turn(rows[1], 3), turn(rows[2], 2), turn(rows[3], 1)];
    }
    array::from_fn(|word| rows[word / 4][word % 4].wrapping_add(start[word / 4][word % 4]))
}

/// Four quarter rounds side by side, one in each column.
#[inline(always)]
fn quarter_rounds([a, b, c, d]: &mut [[u32; 4]; 4]) {
    step(a, b, d, 16);
    step(c, d, b, 12);
    step(a, b, d, 8);
    step(c, d, b, 7);
}

/// `x += y; z = (z ^ x) <<< bits`, in each column.
#[inline(always)]
fn step(x: &mut [u32; 4], y: &[u32; 4], z: &mut [u32; 4], bits: u32) {
    for column in 0..4 {
        x[column] = x[column].wrapping_add(y[column]);
        z[column] = (z[column] ^ x[column]).rotate_left(bits);
    }
}

/// The row, `by` columns to the left.
#[inline(always)]
fn turn(row: [u32; 4], by: usize) -> [u32; 4] {
    array::from_fn(|column| row[(column + by) % 4])
}
