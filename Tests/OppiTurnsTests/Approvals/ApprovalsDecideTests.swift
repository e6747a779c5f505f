// SPDX-License-Identifier: MIT

import FakeServer
import OppiTerminal
import Simulation
import TestSupport
import Testing

@testable import Oppi
@testable import OppiModel
@testable import OppiTestSupport
@testable import OppiText
@testable import OppiWire

/// `oppi approvals --decide` with servers, and `oppi deny --all`.
@Suite struct ApprovalsDecideTests {
  /// Marks the selected request allow, after reading it.
  private static func allow(_ terminal: VirtualTerminal, in world: World) async throws {
    try await terminal.type("\r", see: "Enter: mark")
    try await terminal.type("a", see: "▸a ")
    try await world.pass(.seconds(1))
    try await terminal.type("\r", see: "marked: allow")
  }

  /// Selects the choice that sends the marked decisions; Enter sends them.
  static func confirm(_ terminal: VirtualTerminal, in world: World) async throws {
    try await terminal.type("s", see: "Send: ")
    try await world.pass(.seconds(2))
    try await terminal.type("y", see: "▸y send")
    try await world.pass(.seconds(1))
  }

  private static func send(_ terminal: VirtualTerminal, in world: World) async throws {
    try await confirm(terminal, in: world)
    terminal.type("\r")
  }

  @Test(
    "marked requests are decided after the confirmation, with a result each",
    arguments: Dialect.both
  )
  func decides(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let wipe = try await world.session(asking: "wipe")
      let deploy = try await world.session(asking: "deploy")
      let terminal = world.start(["approvals", "--decide"])
      try await terminal.see("bash: git push origin main")
      try await terminal.type("d", see: "deny ")
      terminal.type("j")
      try await terminal.wait(for: "the second request") { lines in
        lines.contains { $0.hasPrefix("▸") && $0.contains("git push") }
      }
      try await Self.allow(terminal, in: world)
      #expect(server.decisions == 0)
      try await Self.send(terminal, in: world)
      let outcome = try await terminal.end()
      #expect(outcome.status == 0 && terminal.isRestored, "\(outcome)")
      let rows = terminal.lines.filter { $0.contains("  once  ") }
      #expect(rows.map { $0.prefix { $0 != " " } } == ["denied", "approved"], "\(outcome)")
      try await world.pass()
      #expect(await world.oppi("show", "--", deploy).output == "The branch is pushed.\n")
      #expect(await world.oppi("show", "--", wipe).output == "Not cleared: Denied by user\n")
    }
  }

  @Test("leaving without the confirmation sends nothing")
  func leaves() {
    inWorld { world, server in
      _ = try await world.session(asking: "deploy")
      let terminal = world.start(["approvals", "--decide"])
      try await terminal.see("git push origin")
      try await terminal.type("d", see: "deny ")
      try await terminal.type("q", see: "press q again")
      terminal.type("q")
      let outcome = try await terminal.end()
      #expect(outcome.status == 0 && outcome.output.isEmpty, "\(outcome)")
      #expect(outcome.errors.contains("nothing was sent") && terminal.isRestored, "\(outcome)")
      #expect(server.decisions == 0)
    }
  }

  @Test("a request that is decided elsewhere before it is sent is reported as no longer pending")
  func late() {
    inTroubledWorld(.gated) { world, server, trouble in
      _ = try await world.session(asking: "deploy")
      let id = try #require(await world.requestIDs().first)
      let terminal = world.start(["approvals", "--decide", "--json"])
      try await terminal.see("bash: git push origin main")
      terminal.type("j")
      try await Self.allow(terminal, in: world)
      try await terminal.type("s", see: "Send: allow 1, deny 0, leave 0?")
      try await world.pass(.seconds(2))
      try await terminal.type("y", see: "▸y send")
      // The servers answer nothing, so that the screen keeps its list.
      trouble.begin { $0.isRequest ? .hang : .proceed }
      try await world.pass(.seconds(1))
      terminal.type("\r")
      try await world.pass(.milliseconds(10))
      trouble.pending()
      let outcome = try await terminal.end()
      #expect(outcome.status == 5 && outcome.output.contains("too-late"), "\(outcome)")
      #expect(server.decisions == 0 && outcome.output.contains(id), "\(outcome)")
    }
  }

  @Test("without a terminal or cursor control, --decide names the commands that do the same")
  func refuses() {
    inWorld { world, _ in
      let piped = await world.oppi("approvals", "--decide")
      let dumb = try await world.start(
        ["approvals", "--decide"],
        environment: ["TERM": "dumb"]
      ).end()
      let lines = try await world.start(["approvals", "--decide", "--accessible"]).end()
      for outcome in [piped, dumb, lines] {
        #expect(outcome.status == 64, "\(outcome)")
        #expect(outcome.errors.contains("oppi approve ID, oppi deny ID"), "\(outcome)")
      }
      #expect(await world.oppi("approvals", "--decide", "--watch").status == 64)
    }
  }
}

/// Answers of servers to a decision.
@Suite struct UnconfirmedDecisionTests {
  @Test(
    "an answer that does not say that the decision was made leaves it unknown",
    arguments: [[:], ["ok": false], ["ok": "yes"]] as [JSONValue]
  )
  func unconfirmed(answer: JSONValue) {
    inTroubledWorld(.gated) { world, _, trouble in
      let id = try await world.request(asking: "deploy")
      trouble.at("/respond", .answer(json: answer))
      await world.oppi("approve", "--", id, exits: 6, saying: "could not confirm")
    }
  }
}

/// `oppi deny --all`.
@Suite struct DenyAllTests {
  @Test("all requests of the workspace are denied after a confirmation, and no others")
  func denies() {
    inWorld { world, server in
      _ = try await world.session(asking: "deploy")
      _ = try await world.session(asking: "wipe")
      _ = await world.oppi("ask", "-q", "-w", "webapp", "deploy")
      try await world.pass()
      let piped = await world.oppi("deny", "--all", "-w", "demo")
      #expect(piped.status == 64 && piped.errors.contains("--yes"), "\(piped)")
      #expect(server.decisions == 0)
      let outcome = await world.oppi("deny", "--all", "-w", "demo", "--yes", "--json")
      let rows = outcome.json["decisions"].array ?? []
      #expect(outcome.status == 0 && rows.map(\.["state"]) == ["denied", "denied"], "\(outcome)")
      #expect(server.decisions == 2)
      #expect(await world.requestIDs().count == 1)
      let empty = await world.oppi("deny", "--all", "-w", "demo", "--yes")
      #expect(empty.status == 0 && empty.errors.contains("no pending requests"), "\(empty)")
    }
  }

  @Test("a request of an unknown workspace is left, and counted")
  func unknownWorkspace() {
    inTroubledWorld(.gated) { world, server, trouble in
      trouble.pending(.call("request1", in: "session1", "ls"))
      #expect(await world.requestIDs() == ["request1"])
      let outcome = await world.oppi("deny", "--all", "-w", "demo", "--yes")
      #expect(outcome.status == 0 && outcome.output.isEmpty, "\(outcome)")
      #expect(outcome.errors.contains("1 request of an unknown workspace left"), "\(outcome)")
      #expect(!server.requests.contains { $0.path.hasSuffix("/respond") })
    }
  }

  @Test("--all needs a workspace and no ids, and -w and --yes need --all")
  func usage() {
    inWorld { world, _ in
      let lines = [
        ["deny"], ["deny", "--all"], ["deny", "--all", "-w", "demo", "9T1a"],
        ["deny", "-w", "demo", "9T1a"], ["deny", "--yes", "9T1a"],
      ]
      for words in lines { #expect(await world.oppi(words).status == 64, "\(words)") }
    }
  }

  @Test("there is no approve --all, and its error says why")
  func approve() {
    inWorld { world, server in
      _ = try await world.session(asking: "deploy")
      for words in [["approve", "--all"], ["approve", "--all", "9T1a"]] {
        let outcome = await world.oppi(words, exits: 64)
        #expect(outcome.errors.contains("requests are read and approved one by one"), "\(outcome)")
      }
      #expect(server.decisions == 0)
      #expect(!(await world.oppi("approve", "--help").output.contains("--all")))
    }
  }
}

/// Properties of `oppi approvals --decide`, for keys, pastes, sizes and answers in any order.
@Suite struct BatchSafetyTests {
  private static let actions = 600

  /// A user and a server that do anything in any order, by chance from a seed.
  private struct Monkey {
    var desk = ConsoleDesk.batch()
    var random: SeededGenerator
    let opens: Bool
    private var plan: ArraySlice<Step> = []

    enum Step {
      case key(Key)
      case pause(Duration)
    }

    private static let look = Step.pause(.milliseconds(1_100))
    private static let plans: [[Step]] = [
      [.key(.down), .key(.enter), look, .key(.end), look, .key("a"), look, .key(.enter)],
      [.key(.down), .key("d"), .key("s"), look, .key("y"), look, .key(.enter)],
      [.key("s"), look, .key("y"), look, .key(.enter)],
      [.key(.enter), look, .key("1"), look, .key(.enter)],
    ]
    private static let letters = Array("aaddsssyyyunqjkgG12? ")
    private static let keys: [Key] = [
      .up, .down, .left, .home, .end, .pageUp, .pageDown, .tab, .escape, .backspace, .newline,
      .control("c"), .control("d"), .focus(false), .paste("a\n"), .paste("y\ry\r"), "sy", "ad",
    ]
    private static let sizes = [(40, 12), (80, 24), (80, 6), (160, 50), (20, 4), (12, 5)]

    init(seed: UInt64, opens: Bool) {
      random = SeededGenerator(seed: seed)
      self.opens = opens
    }

    mutating func act() -> [ConsoleEffect] {
      if plan.isEmpty, Int.random(in: 0..<10, using: &random) < 4 { plan = pick(Self.plans)[...] }
      if Int.random(in: 0..<10, using: &random) < 8, let step = plan.popFirst() {
        switch step {
        case .key(.enter) where !opens: return []
        case .key(let key): return desk.press(key)
        case .pause(let time): desk.wait(time)
        }
        return []
      }
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<60: return desk.press(key())
      case 60..<75: desk.wait(pick([.zero, .milliseconds(300), .milliseconds(1_100), .seconds(3)]))
      case 75..<80:
        let (columns, rows) = pick(Self.sizes)
        desk.resize(columns: columns, rows: rows)
      default: return answer()
      }
      return []
    }

    private mutating func pick<Element>(_ all: [Element]) -> Element {
      all[Int.random(in: 0..<all.count, using: &random)]
    }

    private mutating func key() -> Key {
      let choice = Int.random(in: 0..<10, using: &random)
      if choice < 2, opens { return pick([.enter, .right]) }
      return choice < 8 ? .text(String(pick(Self.letters))) : pick(Self.keys)
    }

    private mutating func answer() -> [ConsoleEffect] {
      var requests = ["a", "b", "c"].filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
        .map { id in
          let isLong = id == "c"
          let lines = (0..<(isLong ? 60 : 1)).map { "git push \(id) \($0)" }
          let tail = Int.random(in: 0..<8, using: &random) == 0 ? " later" : ""
          return ConsoleDesk.request(id, lines.joined(separator: "\n") + tail, expires: nil)
        }
      if Bool.random(using: &random) { requests.append(ConsoleDesk.confirmation("q")) }
      return desk.answer(requests)
    }
  }

  private static func allowed(_ desk: ConsoleDesk) -> [BatchMarks.Mark] {
    desk.marks?.all.filter { !$0.reply.isRefusal } ?? []
  }

  @Test("without opening a request nothing is marked allow, and nothing is sent")
  func unopened() {
    for seed in rounds(6, of: 15) {
      var monkey = Monkey(seed: UInt64(seed), opens: false)
      for step in 0..<Self.actions {
        _ = monkey.act()
        #expect(Self.allowed(monkey.desk).isEmpty, "seed \(seed), step \(step)")
        #expect(monkey.desk.confirmed.isEmpty, "seed \(seed), step \(step)")
      }
    }
  }

  @Test("a mark allow needs its request open for a second, and sending the question for a second")
  func opened() {
    var (allowCount, sentCount) = (0, 0)
    for seed in rounds(15, of: 40) {
      var monkey = Monkey(seed: UInt64(seed), opens: true)
      var opened: (request: HumanRequest, since: Duration)?
      var asked: (counts: String, since: Duration)?
      for step in 0..<Self.actions {
        let before = Self.allowed(monkey.desk)
        let marks = monkey.desk.marks?.all ?? []
        _ = monkey.act()
        let new = Self.allowed(monkey.desk).filter { !before.contains($0) }
        #expect(new.count <= 1, "seed \(seed), step \(step)")
        for mark in new {
          let time = opened.map { monkey.desk.now - $0.since } ?? .zero
          let isSame = opened?.request == mark.request.request
          #expect(isSame && time >= .seconds(1), "seed \(seed), step \(step)")
          allowCount += 1
        }
        if let sent = monkey.desk.confirmation?.confirmed, !sent.isEmpty {
          let time = asked.map { monkey.desk.now - $0.since } ?? .zero
          #expect(time >= .seconds(1) && sent == marks, "seed \(seed), step \(step)")
          sentCount += 1
          monkey.desk = ConsoleDesk.batch()
        }
        let request = monkey.desk.opened?.request.request
        if request != opened?.request { opened = request.map { ($0, monkey.desk.now) } }
        let counts = monkey.desk.confirmation?.counts
        if counts != asked?.counts { asked = counts.map { ($0, monkey.desk.now) } }
      }
    }
    #expect(allowCount > 20 && sentCount > 20, "\(allowCount), \(sentCount)")
  }
}
