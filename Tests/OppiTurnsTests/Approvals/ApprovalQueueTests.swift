// SPDX-License-Identifier: MIT

import FakeServer
import Simulation
import TestSupport
import Testing

@testable import OppiClient
@testable import OppiModel
@testable import OppiTestSupport
@testable import OppiText
@testable import OppiTurns
@testable import OppiWire

/// Selection of a request by its id.
@Suite struct ApprovalQueueTests {
  private static func server(_ number: Int) throws -> PairedServer {
    PairedServer(
      id: Fingerprint.sample(number),
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
        ListedRequest(
          .call(id, "ls"),
          of: Fingerprint.sample(number),
          at: RequestOrigin(server: "server\(number)", sessionID: nil),
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

  @Test("a question is answered by the first four characters of its id, and not by fewer")
  func answerByStart() {
    inWorld { world, server in
      let id = try await world.request(asking: "gate")
      let short = await world.oppi("answer", "--", String(id.prefix(3)), "Yes", exits: 64)
      #expect(short.errors.contains("at least the first 4 characters"), "\(short)")
      #expect(server.commands.isEmpty)
      _ = await world.oppi("answer", "--", String(id.prefix(4)), "Yes", exits: 0)
      #expect(server.commands.count == 1)
    }
  }

  @Test("an ambiguous id prefix is an error that lists the matches")
  func ambiguous() throws {
    for (second, isOnSeveral) in [(1, false), (2, true)] {
      let queue = try Self.queue([(1, "abcd1"), (second, "abcd2")])
      let candidates = ["server1/abcd1  ls", "server\(second)/abcd2  ls"]
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
      let error = #expect(throws: OppiError.self) { _ = try queue.request(named: name) }
      #expect(error?.message.contains("server2") == true && error != .requestGone(id: name))
    }
  }

  @Test(
    "a request that was decided is no longer pending on every dialect, by any start of its id",
    arguments: DecidingPerson.Kind.allCases,
    ["approve", "deny"]
  )
  func decidedAgain(kind: DecidingPerson.Kind, verb: String) {
    for dialect in kind == .permission ? Dialect.both : [.sessionSockets, .deviceKeys] {
      inWorld(dialect, where: \.countsIDs, is: true) { world, server in
        let id = try await world.request(asking: kind.prompt)
        for name in [id, id, String(id.prefix(4))] {
          let isFirst = server.decisions == 0
          let outcome = await world.oppi(verb, "--", name, exits: isFirst ? 0 : 5)
          #expect(isFirst || outcome.errors.contains("no longer pending"), "\(outcome)")
        }
        await world.oppi(verb, "--", "none", exits: 66)
        await world.oppi("approvals", "show", "--", id, exits: 5)
      }
    }
  }

  @Test("a decision is known after a later one, also of another server")
  func decidedEarlier() {
    inWorld(.gated, where: \.countsIDs, is: true) { world, studio in
      let attic = try await world.addServer(named: "attic") {
        ($0.dialect, $0.countsIDs) = (.gated, true)
      }
      for place in ["studio/demo", "attic/demo"] {
        for _ in 1...2 { _ = await world.oppi("ask", "-q", "-w", place, "deploy") }
      }
      try await world.pass()
      let rows = await world.oppi("approvals", "--json").json["approvals"].array ?? []
      let names = rows.compactMap { row in
        row["id"].string.map { "\(row["server"]["name"].string ?? "")/\($0)" }
      }
      try #require(Set(names).count == 4, "\(rows)")
      for name in names { await world.oppi("deny", "--", name, exits: 0) }
      // The lists have none of them, and the servers' records are not needed.
      await world.oppi("sessions")
      let servers = [studio, attic]
      let readings = servers.map { $0.requests.count { $0.path.contains("/stream/events") } }
      for name in names {
        await world.oppi("deny", "--", name, exits: 5, saying: "no longer pending")
      }
      #expect(servers.map { $0.requests.count { $0.path.contains("/stream/events") } } == readings)
      #expect(studio.decisions == 2 && attic.decisions == 2)
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

/// Two requests with the same call can be distinguished wherever a request is selected.
@Suite struct RequestOriginTests {
  /// Creates the same request in two workspaces, and returns the second session.
  private static func ask(in world: World) async throws -> String {
    _ = try await world.session(asking: "deploy")
    let outcome = await world.oppi("ask", "-q", "-w", "webapp", "deploy")
    try await world.pass()
    return try #require(outcome.lines.first)
  }

  @Test(
    "the list shows each call first, then its place, and the id last, in rows that fit",
    arguments: [40, 80]
  )
  func list(columns: Int) {
    inWorld(.gated) { world, server in
      let session = try await Self.ask(in: world)
      let terminal = world.start(["approvals"], columns: columns)
      _ = try await terminal.end()
      let lines = terminal.lines.filter { !$0.isEmpty }
      let calls = lines.indices.filter { lines[$0].hasPrefix("bash: git push origin main") }
      try #require(calls.count == 2 && calls.first == 0, "\(lines)")
      for block in [lines[..<calls[1]], lines[calls[1]...]] {
        let text = block.dropFirst().map { $0.drop { $0 == " " } }.joined(separator: " ")
        #expect(text.hasPrefix("sends data, ") && text.contains("Git push, studio/"), "\(lines)")
        #expect(block.last?.contains(/[A-Za-z0-9_-]{12}$/) == true, "the id: \(lines)")
      }
      let text = lines.joined(separator: " ")
      #expect(text.contains("studio/demo") && text.contains("studio/webapp"), "\(lines)")
      // A narrow terminal drops the session's id, but not its title.
      #expect(text.contains("deploy (\(session))") || columns == 40, "\(lines)")
      #expect(text.ranges(of: ", deploy ").count == 2, "\(lines)")
    }
  }

  @Test("a wide terminal shows each request on one line")
  func wideList() {
    inWorld(.gated) { world, server in
      _ = try await Self.ask(in: world)
      let terminal = world.start(["approvals"], columns: 200)
      _ = try await terminal.end()
      let lines = terminal.lines.filter { !$0.isEmpty }
      #expect(lines.count == 3 && lines[0].hasPrefix("ID  "), "\(lines)")
      #expect(
        lines.dropFirst().allSatisfy { $0.contains("  bash: git push origin main  ") },
        "\(lines)"
      )
    }
  }

  @Test("pick's rows and its menu for the decision name the workspace and the session")
  func pick() {
    inWorld(where: \.countsIDs, is: true) { world, server in
      let session = try await Self.ask(in: world)
      let person = MenuUser(in: world, "! ", nil)
      _ = await world.pick("approvals")
      let rows = person.seen.first ?? []
      #expect(rows.contains { $0.contains("studio/webapp") && $0.contains(session) }, "\(rows)")
      #expect(rows.contains { $0.contains("studio/demo") }, "\(rows)")
      #expect(Set(rows).count == 2, "\(rows)")
      let menu = person.seen.last ?? []
      #expect(menu.contains { $0.hasPrefix("From studio/") }, "\(menu)")
    }
  }

  @Test("completion of approve names the workspace and the session of each request")
  func completion() {
    inWorld(where: \.countsIDs, is: true) { world, server in
      let session = try await Self.ask(in: world)
      _ = await world.oppi("approvals")
      let words = await world.oppi("__complete", "--", "approve", "")
      #expect(words.output.contains("webapp, deploy (\(session))"), "\(words)")
      #expect(words.output.contains("demo, deploy"), "\(words)")
    }
  }

  @Test(
    "completion of answer offers questions, and on older servers their sessions, and no others",
    arguments: [Dialect.gated, .deviceKeys]
  )
  func questions(dialect: Dialect) {
    inWorld(dialect) { world, server in
      _ = try await world.session(asking: "hello")
      let session = try await world.session(asking: "question")
      let asking = await world.requestIDs().first ?? session
      _ = await world.oppi("sessions")
      let words = await world.oppi("__complete", "--", "answer", "")
      let candidates = words.lines.filter { !$0.hasPrefix("-") && !$0.hasPrefix(":") }
      #expect(candidates.count == 1 && candidates[0].hasPrefix(asking), "\(words)")
    }
  }

  @Test("a location has only the parts that are known")
  func text() {
    var place = RequestOrigin(server: "studio", sessionID: "S1")
    #expect(place.text == "studio, S1")
    place.workspace = "webapp"
    place.folder = "~/code/webapp"
    place.goal = "Fix the login"
    #expect(place.text == "studio/webapp, Fix the login (S1), ~/code/webapp")
    place.sessionID = nil
    place.server = nil
    #expect(place.text == "webapp, Fix the login, ~/code/webapp")
  }
}
