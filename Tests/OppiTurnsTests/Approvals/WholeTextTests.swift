// SPDX-License-Identifier: MIT

import OppiTerminal
import TestSupport
import Testing

@testable import Oppi
@testable import OppiModel
@testable import OppiTestSupport
@testable import OppiText
@testable import OppiTurns
@testable import OppiWire

/// Whatever lets the agent continue needs every row of the request to have been on the screen.
@Suite struct WholeTextTests {
  /// Identifies a row of the request by its Greek letters, which no other row has.
  private static func mark(_ line: some StringProtocol) -> String {
    String(line.filter { ("α"..."ω").contains($0) })
  }

  private static func word(_ number: Int) -> String {
    let letters = Array("αβγδεζηθικλμνξοπ")
    return String([12, 8, 4, 0].map { letters[number >> $0 & 15] })
  }

  private static func lines(_ counts: [Int]) -> [String] {
    var number = 0
    return counts.map { count in
      (0..<count).map { _ in
        number += 1
        return word(number)
      }
      .joined(separator: " ")
    }
  }

  /// A user who does anything, and now and then reads a request properly.
  private struct Person {
    var screen: RequestScreen
    var random: SeededGenerator
    let text: String
    var seen: Set<String> = []
    /// The rows of the request by width, because a person acts many times at one width.
    private var wraps: [Int: Set<String>] = [:]

    init(_ surface: RequestScreen.Surface, seed: UInt64) throws {
      var random = SeededGenerator(seed: seed)
      let all = WholeTextTests.lines(
        (0..<Int.random(in: 1...70, using: &random)).map { _ in .random(in: 1...30, using: &random)
        }
      )
      let options = all.suffix(all.count / 3).prefix(9)
      text = all.dropLast(options.count).joined(separator: "\n")
      let isPrefill = surface == .chatPrefill
      screen = try RequestScreen(
        surface,
        command: text,
        method: isPrefill ? "editor" : "select",
        [
          "title": .string(isPrefill ? "Edit" : text), "prefill": isPrefill ? .string(text) : .null,
          "options": .array((options.isEmpty ? ["Yes"] : Array(options)).map(JSONValue.string)),
        ]
      )
      self.random = random
      look()
    }

    mutating func look() {
      seen.formUnion(screen.lines.map { WholeTextTests.mark($0.split(separator: "│").last ?? "") })
    }

    /// As ``RequestScreen/press(_:after:)``, drawn as a whole after the key.
    mutating func press(_ key: Key, after pause: Duration) -> Bool? {
      defer { look() }
      return screen.press(key, after: pause)
    }

    mutating func resize(_ size: ScreenSize) {
      guard size != screen.size else { return }
      screen.resize(size)
      seen = []
      look()
    }

    /// All rows of the request in the present width.
    mutating func expected() -> Set<String> {
      let columns =
        screen.surface.isChat
        ? screen.size.columns : screen.console.screen.layout.detail.columns
      if let known = wraps[columns] { return known }
      let marks = Set(lines(columns: columns).map { WholeTextTests.mark($0.plain) })
      wraps[columns] = marks
      return marks
    }

    private func lines(columns: Int) -> [StyledText] {
      if screen.surface.isCall { return RequestText.rows(of: .call("q", text), width: columns) }
      guard let shown = ShownQuestion(screen.question, answered: [:], for: .dialogs) else {
        return []
      }
      var panel = RequestPanel(.question(shown))
      panel.fit(columns: columns, rows: 9_000)
      // Below are the hint and the field.
      let view = panel.view().lines
      let end = view.firstIndex { $0.plain.hasPrefix("answer ›") } ?? view.count
      return Array(view.prefix(max(0, end - 1)))
    }

    private static let keys: [Key] = [
      .down, .down, .pageDown, .pageDown, .up, .pageUp, .home, .end, .tab, .right, .left, .enter,
      .enter, "1", "a", "s", "y", " ", .backspace,
    ]

    /// Does one thing; returns as ``press(_:after:)``.
    mutating func act() -> Bool? {
      switch Int.random(in: 0..<40, using: &random) {
      case 0:
        resize(
          ScreenSize(
            columns: .random(in: 20...160, using: &random),
            rows: .random(in: 8...60, using: &random)
          )
        )
        return false
      case 1...2: return read()
      default:
        let pause = [0, 300, 1100].randomElement(using: &random) ?? 0
        return press(Self.keys.randomElement(using: &random) ?? .down, after: .milliseconds(pause))
      }
    }

    /// Reads a part or all of the request, and confirms.
    private mutating func read() -> Bool? {
      let pages = [3, 25].randomElement(using: &random) ?? 0
      var keys = Array(repeating: Key.pageUp, count: pages)
      keys += Array(repeating: .pageDown, count: pages)
      keys.append(screen.surface.isCall ? "a" : screen.surface == .chatPrefill ? "x" : .tab)
      for key in keys {
        let outcome = press(key, after: key == keys.last ? .seconds(2) : .milliseconds(1100))
        if outcome != false { return outcome }
      }
      return press(.enter, after: .seconds(1))
    }
  }

  @Test(
    "an answer that lets the agent continue has every row shown",
    arguments: RequestScreen.Surface.allCases
  )
  func property(surface: RequestScreen.Surface) throws {
    var count = 0
    for seed in rounds(3, of: 12) {
      var person = try Person(surface, seed: UInt64(seed))
      for step in 0..<80 {
        let (seen, expected) = (person.seen, person.expected())
        let outcome = person.act()
        if outcome == true {
          count += 1
          // What `act` showed before its last key counts too.
          let missing = expected.subtracting(seen.union(person.seen))
          #expect(
            missing.isEmpty,
            "\(surface), seed \(seed), step \(step): \(missing.count) of \(expected.count) in \(person.screen.size)"
          )
        }
        if outcome != false { break }
      }
    }
    #expect(count >= 1, "\(surface): only \(count) answers")
  }

  /// A chat that has asked a long question, and takes keys.
  private static func chat(asking text: String) throws -> ChatDesk {
    var desk = ChatDesk(requests: .dialogs)
    _ = try desk.connect("busy")
    try desk.begin()
    _ = try desk.receive([
      "type": "extension_ui_request", "id": "q", "sessionId": "S", "method": "confirm",
      "title": .string(text),
    ])
    _ = desk.wait(.seconds(2))
    return desk
  }

  @Test("a jump to the choices answers nothing, and the hint counts the rows that were not shown")
  func jump() throws {
    for keys in [[Key.tab], [.down], ["1"], [.end, .tab]] {
      let text = (1...145).map { $0 == 70 ? "rm -rf /" : "line \($0)" }.joined(separator: "\n")
      var desk = try Self.chat(asking: text)
      for key in keys { _ = desk.press(key, after: .milliseconds(300)) }
      #expect(desk.press(.enter, after: .seconds(1)).answers.isEmpty, "\(keys)")
      #expect(desk.lines.contains { $0.contains(#/Page(Down|Up): \d+ more/#) }, "\(desk.lines)")
      var hasSeen = false
      for _ in 0..<30 {
        _ = desk.press(.pageUp, after: .milliseconds(20))
        hasSeen = hasSeen || desk.shows("rm -rf /")
      }
      for _ in 0..<20 {
        _ = desk.press(.pageDown, after: .milliseconds(20))
        hasSeen = hasSeen || desk.shows("rm -rf /")
      }
      #expect(hasSeen && !desk.lines.contains { $0.contains(#/: \d+ more/#) })
      if keys == [.down] { _ = desk.press(.down) }
      if keys.contains("1") { _ = desk.press(.backspace, .tab) }
      #expect(desk.press(.enter, after: .seconds(1)).answers == [.confirmed(true)], "\(keys)")
    }
  }

  @Test("arrows read a long question to its end before they select")
  func arrows() throws {
    let text = (1...60).map { "line \($0)." }.joined(separator: "\n")
    var desk = try Self.chat(asking: text)
    var count = 0
    while !desk.shows("▸"), count < 100 {
      _ = desk.press(.down, after: .milliseconds(20))
      count += 1
    }
    #expect((1...100).contains(count) && desk.lineOfCursor.contains("1  yes"))
    #expect(desk.press(.enter, after: .seconds(1)).answers == [.confirmed(true)])
  }

  @Test("in line mode nothing is answered before the whole text was printed")
  func lines() throws {
    let question = UserQuestion.sample("confirm", ["title": "Go on?"])
    let shown = try #require(ShownQuestion(question, answered: [:], for: .dialogs))
    for subject in [RequestPanel.Subject.question(shown), .call(.call("p", "ls"))] {
      var panel = RequestPanel(subject, in: .lines(width: 80))
      let early = panel.take("1", at: .seconds(5))
      #expect(!early.isPositive, "\(early)")
      panel.wasShown(at: .seconds(10))
      #expect(!panel.take("1", at: .milliseconds(10_900)).isPositive)
      #expect(panel.take("1", at: .seconds(12)).isPositive)
    }
  }

  /// A user of the accessible console who types anything while requests change.
  private struct MenuUser {
    var random: SeededGenerator
    var desk = MenuDesk()
    var request: ListedRequest
    var number = 0
    /// What was printed since the request was last new.
    var printed: Set<String> = []

    init(seed: UInt64) {
      random = SeededGenerator(seed: seed)
      request = ConsoleDesk.request("q", "")
      change()
      desk.type("1", "1")
      printed.formUnion(desk.printed)
    }

    /// Replaces the request under its id.
    mutating func change() {
      number += 1
      let rows = (0..<Int.random(in: 1...40, using: &random)).map {
        "\(number).\($0) " + String(repeating: "word ", count: .random(in: 1...30, using: &random))
      }
      let text = rows.joined(separator: "\n")
      let dialog = UserQuestion.sample("confirm", ["sessionId": "S", "title": .string(text)])
      let isCall = Bool.random(using: &random)
      request = isCall ? ConsoleDesk.request("q", text) : ConsoleDesk.listed(.question(dialog))
      printed = []
      desk.answer([request])
      printed.formUnion(desk.printed)
    }

    /// Does one thing; returns the reply that is sent.
    mutating func act() -> RequestReply? {
      if Int.random(in: 0..<8, using: &random) == 0 {
        change()
        return nil
      }
      let line = ["1", "1", "1", "2", "?", "0", "", "yes"].randomElement(using: &random) ?? ""
      let pause = [0, 300, 1100].randomElement(using: &random) ?? 0
      let effects = desk.type(line, after: .milliseconds(pause))
      printed.formUnion(desk.printed)
      for case .reply(let reply, let shown, _) in effects {
        #expect(shown.request == request.request)
        return reply
      }
      return nil
    }

    /// The rows of the request that were not printed.
    var missing: [String] {
      let rows: [StyledText]
      switch request.request {
      case .permission(let call): rows = SpokenRequest.lines(of: call, width: 80)
      case .question(let question):
        rows = ShownQuestion(question, answered: [:], for: .dialogs)?.spokenLines(width: 80) ?? []
      }
      return rows.map(\.plain).filter { !printed.contains($0) }
    }
  }

  @Test("in the accessible console, a positive reply has every row of the present request printed")
  func menu() {
    var count = 0
    for seed in 0..<60 {
      var user = MenuUser(seed: UInt64(seed))
      for step in 0..<60 {
        guard let reply = user.act() else { continue }
        if !reply.isRefusal {
          count += 1
          #expect(user.missing.isEmpty, "seed \(seed), step \(step): \(user.missing.count) rows")
        }
        break
      }
    }
    #expect(count >= 10, "only \(count) replies")
  }
}

extension RequestPanel.Outcome {
  fileprivate var isPositive: Bool {
    if case .replied(let reply, _) = self { !reply.isRefusal } else { false }
  }
}
