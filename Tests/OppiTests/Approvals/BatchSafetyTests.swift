// SPDX-License-Identifier: MIT

import OppiTerminal
import TestSupport
import Testing

@testable import Oppi
@testable import OppiModel

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
