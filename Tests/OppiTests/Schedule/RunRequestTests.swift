// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import TestSupport
import Testing

@testable import Oppi

/// The requests to run servers' schedules whose answers are not known.
@Suite struct RunRequestStoreTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Makes a request, and returns its id and whether it is a repeat.
  private func request(
    _ schedule: String,
    on server: Int,
    newID: String,
    isKnown: Bool,
    _ loop: EventLoop
  ) async throws -> String {
    let store = RunRequestStore(paths: scratch.paths, files: FileStore(loop: loop))
    return try await store.withRequest(
      of: schedule,
      on: FleetLife.serverID(server),
      newID: newID
    ) { id, isRepeat in ("\(id) \(isRepeat)", isKnown: isKnown) }
  }

  @Test("a request without an answer is repeated for its schedule on its server only")
  func places() throws {
    try onLoop { [self] loop in
      let first = try await request("sch_1", on: 1, newID: "a", isKnown: false, loop)
      let other = try await request("sch_2", on: 1, newID: "b", isKnown: false, loop)
      let elsewhere = try await request("sch_1", on: 2, newID: "c", isKnown: false, loop)
      #expect([first, other, elsewhere] == ["a false", "b false", "c false"])
      let again = try await request("sch_1", on: 1, newID: "d", isKnown: true, loop)
      let next = try await request("sch_1", on: 1, newID: "e", isKnown: true, loop)
      #expect([again, next] == ["a true", "e false"])
    }
  }
}
