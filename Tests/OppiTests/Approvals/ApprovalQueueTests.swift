// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import Oppi
@testable import OppiModel

/// Selection of a request by its id.
@Suite struct ApprovalQueueTests {
  private static func server(_ number: Int) throws -> PairedServer {
    PairedServer(
      id: FleetLife.serverID(number),
      name: "server\(number)",
      endpoint: try #require(Endpoint(scheme: .http, host: "127.0.0.1", port: 1))
    )
  }

  /// Creates a queue from requests with server numbers, optionally with a server that failed.
  private static func queue(
    _ requests: [(server: Int, id: String)],
    failed: Int? = nil
  ) throws -> ApprovalQueue {
    ApprovalQueue(
      rows: requests.map { number, id in
        let request = PermissionRequest(
          id: id,
          tool: "bash",
          input: ["command": "ls"],
          summary: "ls"
        )
        return ListedRequest(
          .permission(request),
          of: FleetLife.serverID(number),
          at: RequestPlace(server: "server\(number)", sessionID: nil),
          listedAt: .noon
        )
      },
      answers: try failed.map { number in
        let server = try server(number)
        return [
          Fleet.Answer(
            server: server,
            result: .failure(.hungUp(server: server.name)),
            elapsed: .zero
          )
        ]
      } ?? []
    )
  }

  @Test("a complete id selects its request even if another id starts with it")
  func wholeID() throws {
    let queue = try Self.queue([(1, "abcd"), (1, "abcdef")], failed: 2)
    #expect(try queue.request(named: "abcd").request.id == "abcd")
  }

  @Test("a unique id prefix selects its request only if every server answered")
  func start() throws {
    let requests = [(server: 1, id: "abcdef"), (server: 1, id: "xyz12")]
    #expect(try Self.queue(requests).request(named: "abcd").request.id == "abcdef")
    let queue = try Self.queue(requests, failed: 2)
    #expect(throws: OppiError.self) { _ = try queue.request(named: "abcd") }
  }

  @Test("an ambiguous id prefix is an error that lists the matches")
  func ambiguous() throws {
    for (second, isOnSeveral) in [(1, false), (2, true)] {
      let queue = try Self.queue([(1, "abcd1"), (second, "abcd2")])
      let candidates = ["abcd1  server1  ls", "abcd2  server\(second)  ls"]
      let error = OppiError.ambiguousRequest(
        name: "abcd",
        candidates: candidates,
        isOnSeveralServers: isOnSeveral
      )
      #expect(throws: error) { _ = try queue.request(named: "abcd") }
    }
  }

  @Test("a request that was pending on a server that answered is gone; elsewhere it may be pending")
  func seen() throws {
    var queue = try Self.queue([(1, "abcdef")], failed: 2)
    queue.seen = [try Self.server(1).id: ["other"], try Self.server(2).id: ["another"]]
    #expect(throws: OppiError.requestGone(id: "other")) {
      _ = try queue.request(named: "other")
    }
    for name in ["another", "othe", "unknown"] {
      #expect(throws: OppiError.self) { _ = try queue.request(named: name) }
    }
  }

  @Test("a request is gone or unknown only if every server answered")
  func gone() throws {
    let requests = [(server: 1, id: "abcdef")]
    #expect(throws: OppiError.requestGone(id: "9T1aeoZLDYNQ")) {
      _ = try Self.queue(requests).request(named: "9T1aeoZLDYNQ")
    }
    #expect(throws: OppiError.noRequest(named: "other")) {
      _ = try Self.queue(requests).request(named: "other")
    }
    #expect(throws: OppiError.self) {
      _ = try Self.queue(requests, failed: 2).request(named: "other")
    }
  }
}
