// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@testable import FakeServer

@Suite("Recorder", .timeLimit(.minutes(4)))
struct RecorderTests {
  private func request(_ path: String) -> Journal.Request {
    Journal.Request(
      connection: 1,
      method: "GET",
      path: path,
      body: [],
      hasToken: false,
      status: nil
    )
  }

  @Test("a request gets its status when it is answered")
  func status() {
    let recorder = Recorder()
    let first = recorder.record(request("/a"))
    _ = recorder.record(request("/b"))
    recorder.answered(first, status: 404)
    #expect(recorder.journal.requests.map(\.status) == [404, nil])
  }

  @Test("entries are counted by kind")
  func counts() {
    let recorder = Recorder()
    recorder.record(.accepted(connection: 1))
    recorder.record(.closed(connection: 1, code: 1000))
    recorder.record(.closed(connection: 1, code: nil))
    recorder.record(.ended(connection: 1))
    recorder.record(.message(.init(connection: 1, text: "{}", json: ["type": "prompt"])))
    let journal = recorder.journal
    #expect(journal.connections == 1)
    #expect(journal.endedConnections == 1)
    #expect(journal.closeCodes == [1000, 1005])
    #expect(journal.messages.map(\.type) == ["prompt"])
  }

  @Test("a wait ends with the entry that meets its condition, or at once")
  func wait() async throws {
    let recorder = Recorder()
    async let journal = recorder.wait { $0.connections == 2 }
    recorder.record(.accepted(connection: 1))
    recorder.record(.accepted(connection: 2))
    #expect(try await journal.connections == 2)
    #expect(try await recorder.wait { $0.connections > 1 }.connections == 2)
  }

  @Test("a cancelled wait throws")
  func cancel() async {
    let recorder = Recorder()
    let task = Task { try await recorder.wait { _ in false } }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
