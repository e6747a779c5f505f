// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem
import OppiText
import OppiWire
import Simulation
import TestSupport
import Testing

@testable import OppiClient
@testable import OppiTestSupport
@testable import OppiTurns

/// Where a user sees a request without replying to it.
enum ShowingSurface: String, CaseIterable, Sendable {
  case approvals
  case approvalsOnTerminal
  case approvalsInJSON
  case approvalsWatch
  case approvalsShow
  case status
  case statusInJSON
  case statusOfSnapshot
  case waybar
  case argos
  case sessions
  case sessionsInJSON
  case conversation
  case follow
  case chat
  case accessibleChat
  case console
  case menu
  case notification

  private var words: [String] {
    switch self {
    case .approvals, .approvalsOnTerminal, .approvalsWatch, .menu, .notification: ["approvals"]
    case .approvalsInJSON: ["approvals", "--json"]
    case .approvalsShow: ["approvals", "show", "--"]
    case .status, .statusOfSnapshot: ["status"]
    case .statusInJSON: ["status", "--json"]
    case .waybar, .argos: ["status", "--format", rawValue]
    case .sessions: ["sessions"]
    case .sessionsInJSON: ["sessions", "--json"]
    case .conversation: ["show", "--"]
    case .follow: ["follow", "--timeout", "3s", "--"]
    case .chat: ["chat", "-s"]
    case .accessibleChat: ["chat", "--accessible", "-s"]
    case .console: ["console"]
    }
  }

  /// Shows the request, and leaves the surface.
  ///
  /// - Returns: The text of the surface.
  @discardableResult
  func show(_ person: DecidingPerson) async throws -> String {
    let world = person.world
    switch self {
    case .approvals, .approvalsInJSON, .status, .statusInJSON, .waybar, .argos, .sessions,
      .sessionsInJSON:
      return await world.oppi(words).text
    case .approvalsOnTerminal: return try await world.oppi(words, as: .terminal).text
    case .approvalsShow: return await world.oppi(words + [person.id], exits: 0).text
    case .conversation, .follow: return await world.oppi(words + [person.session]).text
    case .approvalsWatch:
      let watching = world.run(words + ["--watch"])
      try await world.pass()
      return await watching.end().text
    case .chat, .accessibleChat, .console:
      let place = self == .console ? [] : [person.session]
      let terminal = world.start(words + place, columns: 120, rows: 60)
      try await terminal.see(person.text)
      let text = terminal.lines.joined(separator: "\n")
      terminal.close()
      _ = try await terminal.end()
      return text
    case .menu:
      let user = MenuUser(in: world, nil)
      _ = await world.pick("approvals")
      return user.seen.joined().joined(separator: "\n")
    case .notification, .statusOfSnapshot:
      let watching = try await Watching(in: world)
      if self == .statusOfSnapshot {
        world.forgetShown()
        let text = await world.oppi(words).text
        _ = await watching.end()
        return text
      }
      let shown = watching.desktop.history.map { "\($0.summary)\n\($0.body)" }
      return await watching.end().text + shown.joined(separator: "\n")
    }
  }
}

extension Simulation.Program.Outcome {
  fileprivate var text: String { output + errors }
}

extension World {
  private static let shownFile = "\(home)/.local/state/oppi/shown-requests.json"

  func forgetShown() { disk.put(Array("{}".utf8), at: Self.shownFile) }

  /// The ids of the requests that are recorded as shown.
  fileprivate var shownIDs: [String] {
    let json = disk.contents(of: Self.shownFile).flatMap { try? JSONValue(parsing: $0) }
    return json?["requests"].array?.compactMap(\.["requestId"].string) ?? []
  }
}

/// What any surface has shown is what any other one decides.
@Suite struct ShownSurfaceTests {
  /// Another harmless request.
  private static func harmless(_ kind: DecidingPerson.Kind) -> String {
    kind == .permission ? "git status" : "Proceed now?"
  }

  @Test(
    "a request that changed since a surface showed it is approved or answered on no other surface",
    arguments: ShowingSurface.allCases,
    DecidingPerson.Kind.allCases
  )
  func changed(surface: ShowingSurface, kind: DecidingPerson.Kind) {
    DecisionSurfaceTests.withServer(of: kind) { world, server, trouble in
      var person = try await DecidingPerson(in: world, kind)
      world.forgetShown()
      try await surface.show(person)
      #expect(world.shownIDs == [person.id])
      trouble.begin(person.replaced(by: Self.harmless(kind)))
      for deciding in [DecidingSurface.command, .menu] {
        let text = try await person.reply(on: deciding)
        #expect(server.decisions == 0, "\(deciding): \(text)")
        let isTold = text.contains("changed since it was shown")
        #expect(deciding == .menu || isTold, "\(deciding): \(text)")
      }
      if kind == .dialog {
        for name in [person.id, person.session] {
          let answer = await world.oppi("answer", "--", name, "yes", exits: 5)
          #expect(answer.errors.contains("has changed since it was shown"), "\(answer)")
        }
        #expect(server.commands.isEmpty)
      }
      // It was not listed anew meanwhile, and can be denied.
      person.agrees = false
      try await person.reply(on: .command)
      #expect(server.decisions == 1)
    }
  }

  @Test("a changed request is approved after it was shown in full", arguments: [true, false])
  func shownAgain(isReadInConsole: Bool) {
    inTroubledWorld(.gated) { world, server, trouble in
      var person = try await DecidingPerson(in: world, .permission)
      trouble.begin(person.replaced(by: Self.harmless(.permission)))
      // The list may have cut it.
      await world.oppi("approvals")
      await world.oppi("approve", "--", person.id, exits: 5)
      if isReadInConsole {
        person.text = "git status"
        try await person.reply(on: .console)
      } else {
        await world.oppi("approvals", "show", "--", person.id, exits: 0)
        await world.oppi("approve", "--", person.id)
      }
      #expect(server.decisions == 1)
    }
  }

  @Test(
    "a notification that shows a changed request in full approves this one, and no later one",
    arguments: DecidingPerson.Kind.allCases
  )
  func notified(kind: DecidingPerson.Kind) {
    DecisionSurfaceTests.withServer(of: kind) { world, server, trouble in
      let person = try await DecidingPerson(in: world, kind)
      await world.oppi("approvals")
      trouble.begin(person.replaced(by: Self.harmless(kind)))
      let changed = try await person.reply(on: .notification) {
        trouble.begin(person.replaced(by: "Continue"))
      }
      #expect(server.decisions == 0, "\(changed)")
      #expect(changed.contains("Not decided: the request is now for a different call"))
      let text = try await person.reply(on: .notification)
      #expect(server.decisions == 1, "\(text)")
    }
  }

  @Test("a request that no surface showed is approved by its id")
  func neverShown() {
    inTroubledWorld(.gated) { world, server, trouble in
      let person = try await DecidingPerson(in: world, .permission)
      world.forgetShown()
      trouble.begin(person.replaced(by: Self.harmless(.permission)))
      await world.oppi("approve", "--", person.id)
      #expect(server.decisions == 1)
    }
  }

  @Test("a bar without the text of a request records nothing", arguments: ["tmux", "polybar"])
  func compact(format: String) {
    inWorld { world, _ in
      _ = try await world.request(asking: "deploy")
      world.forgetShown()
      await world.oppi("status", "--format", format, exits: 0)
      #expect(world.shownIDs == [])
      await world.oppi("status", "--format", format, "--presentation", "expanded", exits: 0)
      #expect(world.shownIDs.count == 1)
    }
  }

  @Test("private notifications show no request")
  func privately() {
    inWorld { world, _ in
      _ = try await world.request(asking: "deploy")
      world.forgetShown()
      await world.oppi("config", "set", "notify.private", "true", exits: 0)
      let watching = try await Watching(in: world)
      _ = await watching.end()
      #expect(world.shownIDs == [])
    }
  }

  @Test("the start of an id approves no request that was not shown, after another one was")
  func start() {
    inTroubledWorld(.gated) { world, server, trouble in
      trouble.pending(.call("call00001111", "ls"))
      await world.oppi("approvals")
      trouble.pending(.call("call00002222", "git push"))
      for name in ["call", "studio/call"] {
        let other = await world.oppi("approve", name, exits: 5)
        #expect(other.errors.contains("now matches another request"), "\(other)")
      }
      #expect(server.decisions == 0)
      await world.oppi("approvals")
      await world.oppi("approve", "call")
      #expect(server.decisions == 1)
    }
  }

  @Test("a list of a session's questions lets the session stand for the one that remains")
  func listedQuestions() {
    inWorld { world, server in
      let session = try await world.session(asking: "two gates")
      let ids = await world.requestIDs()
      try #require(ids.count == 2)
      await world.oppi("answer", "--", ids[1], "Yes", exits: 0)
      await world.oppi("answer", "--", session, "Yes", exits: 0)
      #expect(server.commands.map(\.["id"].string) == [ids[1], ids[0]])
    }
  }

  @Test("a failure to record what was shown is one warning, and the list is printed")
  func unwritable() {
    inTroubledWorld(.gated) { world, _, trouble in
      let person = try await DecidingPerson(in: world, .permission)
      world.forgetShown()
      world.disk.breakDown()
      for words in [["approvals"], ["status"], ["sessions"]] {
        let outcome = await world.oppi(words, exits: 0)
        #expect(!outcome.output.isEmpty, "\(outcome)")
        #expect(outcome.errors.ranges(of: "cannot remember").count == 1, "\(outcome)")
      }
      let watching = world.run("approvals", "--watch")
      try await world.pass()
      trouble.pending(.call("othr00001111", in: person.session, "ls"))
      try await world.pass()
      let watched = await watching.end()
      #expect(watched.errors.ranges(of: "cannot remember").count == 1, "\(watched)")
      world.disk.set(Faults())
    }
  }

  @Test("a status waits for no process that records what it shows")
  func locked() {
    inWorld { world, _ in
      _ = try await world.request(asking: "deploy")
      let free = await world.oppi("status")
      world.forgetShown()
      let (holder, services) = (world.program(), world.services)
      try await holder.files.withLock(on: services.paths.shownRequestsFile) {
        () async throws(FileError) in
        let outcome = await world.oppi("status")
        #expect(outcome.status == 0 && outcome.elapsed < free.elapsed + .seconds(1), "\(outcome)")
      }
    }
  }
}

/// The rules of the record of shown requests.
@Suite struct ShownRequestsRulesTests {
  @Test("what is shown of one server or session replaces nothing of another one")
  func otherServer() {
    for (server, session) in [(2, "S"), (1, "T")] {
      var shown = ShownRequests()
      shown.add(read: .call("ls"))
      shown.add(read: .call("pwd", of: server, in: session))
      shown.add(listed: [.call("id", of: 3)])
      #expect(shown.entries.count == 3)
      #expect(shown.differ(from: .call("rm")))
      #expect(shown.differ(from: .call("rm", of: server, in: session)))
      #expect(shown.differ(from: .call("rm", of: 3)))
      #expect(shown.differInSession(from: .call("ls", id: "other")))
    }
  }

  @Test("a list adds what was never shown, and replaces nothing")
  func lists() {
    var shown = ShownRequests()
    shown.add(listed: [.call("ls"), .call("ls", id: "b")])
    let before = shown
    shown.add(listed: [.call("rm"), .call("ls", id: "b")])
    #expect(shown == before && shown.differ(from: .call("rm")))
    shown.add(read: .call("rm"))
    #expect(!shown.differ(from: .call("rm")) && shown.differ(from: .call("ls")))
    var unknown = PendingApproval(id: "c", tool: "bash", summary: "", risk: .read)
    unknown.digest = ""
    shown.add(listed: [.init(unknown, of: Fingerprint.sample(1), in: "S")])
    #expect(shown.entries.count == 2)
  }

  @Test("a session stands for the question that was read last, else for those of lists")
  func session() {
    var shown = ShownRequests()
    shown.add(listed: [.call("ls", id: "a"), .call("ls", id: "b")])
    for (id, isOther) in [("a", false), ("b", false), ("c", true)] {
      #expect(shown.differInSession(from: .call("ls", id: id)) == isOther, "\(id)")
    }
    #expect(shown.differInSession(from: .call("rm", id: "a")))
    #expect(!shown.differInSession(from: .call("ls", id: "c", of: 2)))
    shown.add(read: .call("ls", id: "a"))
    shown.add(listed: [.call("ls", id: "c")])
    for (id, isOther) in [("a", false), ("b", true), ("c", true)] {
      #expect(shown.differInSession(from: .call("ls", id: id)) == isOther, "\(id)")
    }
  }

  @Test(
    "beyond the limit, those of lists are forgotten before those that were read, the oldest first"
  )
  func bounded() {
    var shown = ShownRequests()
    shown.add(read: .call("ls", id: "read"))
    let limit = ShownRequests.countLimit
    shown.add(listed: (0..<limit + 5).map { .call("ls", id: "\($0)") })
    #expect(shown.entries.count == limit)
    #expect(shown.differ(from: .call("rm", id: "read")))
    #expect(!shown.differ(from: .call("rm", id: "0")))
    #expect(shown.differ(from: .call("rm", id: "\(limit)")))
    for number in 1...limit { shown.add(read: .call("ls", id: "read \(number)")) }
    #expect(shown.entries.count == limit && !shown.differ(from: .call("rm", id: "read")))
    #expect(shown.differ(from: .call("rm", id: "read 1")))
  }

  @Test("the start of an id names one of the requests with it that were shown")
  func start() {
    var shown = ShownRequests()
    #expect(!shown.differ(from: .call("ls", id: "abcd1"), startingWith: "abcd"))
    shown.add(listed: [.call("ls", id: "abcd1")])
    #expect(!shown.differ(from: .call("ls", id: "abcd1"), startingWith: "abcd"))
    #expect(shown.differ(from: .call("ls", id: "abcd2"), startingWith: "abcd"))
    #expect(shown.differ(from: .call("ls", id: "abcd1", of: 2), startingWith: "abcd"))
    #expect(!shown.differ(from: .call("ls", id: "abcd2"), startingWith: "abcd2"))
    #expect(!shown.differ(from: .call("ls", id: "xyz1"), startingWith: "xyz"))
  }
}

/// The replies over a stream that may be lost with it.
@Suite struct RepliesOnStreamTests {
  private static let loss = SessionNews.lost(.hungUp(server: "studio"))

  private static func turn(asking ids: String...) -> Turn {
    var turn = Turn()
    turn.questions = ids.map(question)
    return turn
  }

  private static func question(_ id: String) -> UserQuestion {
    UserQuestion(id: id, method: "confirm", body: ["title": "Proceed?"])
  }

  private static func repeated(_ id: String) -> SessionNews {
    .changes([], of: ServerMessage(.question(question(id))))
  }

  @Test("a second loss of the stream leaves the replies of the first in doubt")
  func secondLoss() {
    let turn = Self.turn(asking: "a", "b")
    for second in [Self.loss, .renewing] {
      var replies = RepliesOnStream()
      replies.add("a")
      #expect(replies.lost(in: Self.loss, of: turn) == nil)
      replies.add("b")
      #expect(replies.lost(in: second, of: turn) == nil)
      #expect(replies.lost(in: Self.repeated("a"), of: turn)?.id == "a")
      #expect(replies.lost(in: Self.repeated("b"), of: turn)?.id == "b")
      // Each is sent again once.
      #expect(replies.lost(in: Self.repeated("a"), of: turn) == nil)
    }
  }

  @Test("a reply that is sent again after a loss is in doubt only after the next one")
  func sentAgain() {
    let turn = Self.turn(asking: "a")
    var replies = RepliesOnStream()
    replies.add("a")
    _ = replies.lost(in: Self.loss, of: turn)
    replies.add("a")
    #expect(replies.lost(in: Self.repeated("a"), of: turn) == nil)
    _ = replies.lost(in: Self.loss, of: turn)
    #expect(replies.lost(in: Self.repeated("a"), of: turn)?.id == "a")
  }

  @Test("a request that is no longer pending is not in doubt if it is asked again")
  func settled() {
    var replies = RepliesOnStream()
    replies.add("a")
    _ = replies.lost(in: Self.loss, of: Self.turn(asking: "a"))
    _ = replies.lost(in: .changes([], of: nil), of: Self.turn())
    #expect(replies.lost(in: Self.repeated("a"), of: Self.turn(asking: "a")) == nil)
  }
}
