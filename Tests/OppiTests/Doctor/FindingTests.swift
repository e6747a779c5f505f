// SPDX-License-Identifier: MIT

import OppiText
import TestSupport
import Testing

@testable import Oppi
@testable import OppiClient

@Suite struct FindingTests {
  @Test("every member survives a round trip, and has its default or rejects the finding if missing")
  func members() {
    let finding = Finding(
      gravity: .fault,
      check: "servers",
      message: "no server",
      hints: ["oppi pair"],
      code: .usage
    )
    let record = RecordCase(
      "Finding",
      Finding.record,
      [finding],
      required: ["check", "state", "message"],
      defaults: ["hints": []]
    )
    #expect(record.problems == [])
  }
}
