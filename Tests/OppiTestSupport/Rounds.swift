// SPDX-License-Identifier: MIT

import Foundation

@testable import Oppi

/// The rounds of a test that repeats itself: all with `ALL_ROUNDS`, as in `.ci/nightly`, else the
/// first ones.
func rounds(_ count: Int, of all: Int) -> Range<Int> {
  0..<(ProcessInfo.processInfo.environment["ALL_ROUNDS"] == nil ? count : all)
}
