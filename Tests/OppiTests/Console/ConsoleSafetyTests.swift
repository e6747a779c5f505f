// SPDX-License-Identifier: MIT

import OppiTerminal
import TestSupport
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiModel
@testable import OppiPrompts
@testable import OppiTestSupport
@testable import OppiText
@testable import OppiTurns
@testable import OppiWire

/// Properties of the whole console, for keys, pastes, sizes and answers in any order.
@Suite struct ConsoleSafetyTests {
  private static let actions = 400

  @Test("without Enter nothing is decided, sent, stopped, switched, revoked or removed")
  func withoutEnter() {
    for seed in rounds(5, of: 15) {
      var monkey = ConsoleMonkey(seed: UInt64(seed), pressesEnter: false)
      for step in 0..<Self.actions {
        let changed = monkey.act().flatMap(\.changed)
        #expect(changed.isEmpty, "seed \(seed), step \(step)")
        monkey.look()
      }
    }
  }

  @Test("Enter changes only what has been in front of the user for a second")
  func withEnter() {
    var kinds: Set<String> = []
    for seed in 0..<50 {
      var monkey = ConsoleMonkey(seed: UInt64(seed), pressesEnter: true)
      for step in 0..<Self.actions {
        let seen = monkey.subject
        for effect in monkey.act() where !effect.changed.isEmpty {
          let time = seen.map { monkey.desk.now - $0.since } ?? .zero
          let targets = seen?.target.split(separator: ", ").map(String.init) ?? []
          #expect(
            effect.changed.allSatisfy(targets.contains) && time >= .seconds(1),
            "seed \(seed), step \(step): \(effect)"
          )
          // The chat itself knows what is not confirmed.
          #expect(effect.isChange || effect.kind.hasPrefix("Chat"), "leaving does not wait for it")
          if targets.count > 1 { kinds.insert("several") }
          kinds.insert(effect.kind)
        }
        monkey.look()
      }
    }
    let all: Set = [
      "reply", "send", "several", "ChatTabEffect.perform", "OutboxEffect.drop",
      "OutboxEffect.flush", "OutboxEffect.retry", "ScheduleEffect.enable", "ScheduleEffect.runNow",
      "ScheduleEffect.save", "SettingsEffect.removeRule", "SettingsEffect.revoke",
      "SettingsEffect.set", "SettingsEffect.signOut", "WorkEffect.delete", "WorkEffect.launch",
      "WorkEffect.rename", "WorkEffect.stop",
    ]
    #expect(kinds == all, "each kind of change must happen, or the rule is not put to the test")
  }
}

extension ConsoleEffect {
  /// Its name, with its type if it is that of a tab.
  fileprivate var kind: String {
    func name(_ effect: Any) -> Substring { "\(effect)".prefix { $0 != "(" } }
    if case .own(let effect) = self { return "\(type(of: effect)).\(name(effect))" }
    return String(name(self))
  }

  /// What it would change, named as by ``ConsoleDesk/subject``; empty if it changes nothing.
  var changed: [String] {
    if case .own(WorkEffect.delete(let ids)) = self { return ids.map { "session \($0.sessionID)" } }
    return changedItem.map { [$0] } ?? []
  }

  private var changedItem: String? {
    switch self {
    case .reply(_, let request, _): "request \(request.id.requestID) \(request.approval.summary)"
    case .send(_, let id), .own(WorkEffect.stop(let id)), .own(WorkEffect.rename(let id, to: _)):
      "session \(id.sessionID)"
    case .own(WorkEffect.launch(let order)): "workspace \(order.workspace.qualifiedName)"
    case .own(ScheduleEffect.enable(let name, _)), .own(ScheduleEffect.runNow(let name)),
      .own(ScheduleEffect.save(let name, _, _)):
      "schedule \(name.text)"
    case .own(SettingsEffect.revoke(let id, _)): "device \(id)"
    case .own(SettingsEffect.removeRule(let id, _)): "rule \(id)"
    case .own(SettingsEffect.signOut(let id)): "server \(id.text)"
    case .own(SettingsEffect.set(let key, _)): "setting \(key.name)"
    case .own(OutboxEffect.flush(let key)), .own(OutboxEffect.retry(let key, _)),
      .own(OutboxEffect.drop(let key, _)):
      "prompt \(key)"
    case .own(ChatTabEffect.perform(let effect, let id, _)):
      effect.isHarmless ? nil : "chat \(id.sessionID)"
    case .refresh, .edit, .copy, .showChat, .newPrompt, .leave: nil
    case .own(let effect): effect.isChange ? "unknown" : nil
    }
  }
}

extension ChatEffect {
  fileprivate var isHarmless: Bool {
    switch self {
    case .deliver(.perform(.send, workspaceID: _, clientTurnID: _)), .stopTurn, .reply, .change:
      false
    default: true
    }
  }
}

extension ConsoleDesk {
  /// What an open page is about, if it is a question, a form or a request.
  private static func subject(of page: (any ListPage)?) -> String? {
    switch page {
    case let request as RequestDetail:
      "request \(request.request.id.requestID) \(request.request.approval.summary)"
    case let question as ConsoleQuestion:
      question.change.effects.flatMap(\.changed).joined(separator: ", ")
    case let retry as RetryQuestion:
      retry.question?.change.effects.flatMap(\.changed).joined(separator: ", ")
    case let form as NewPrompt: form.workspace.map { "workspace \($0.qualifiedName)" }
    default: nil
    }
  }

  private var openPage: (any ListPage)? {
    switch screen.tabs[screen.selected] {
    case let tab as ListTab<ApprovalsSource>: tab.page
    case let tab as ListTab<WorkSource>: tab.page
    case let tab as ListTab<NowSource>: tab.page
    case let tab as ListTab<SchedulesSource>: tab.page
    case let tab as ListTab<SettingsSource>: tab.page
    default: nil
    }
  }

  /// What the keys of the present tab concern: the open item or the selected row.
  var subject: String? {
    if let open = Self.subject(of: openPage) { return open }
    switch screen.tabs[screen.selected] {
    case let tab as ListTab<WorkSource>: return tab.list.selection.map { "session \($0.sessionID)" }
    case let tab as ListTab<NowSource>:
      guard case .session(let id)? = tab.list.selection else { return nil }
      return "session \(id.sessionID)"
    case let tab as ListTab<SchedulesSource>:
      if let form = tab.page as? ScheduleForm { return form.name.map { "schedule \($0.text)" } }
      switch tab.list.selection {
      case .prompt(let key)?: return "prompt \(key)"
      case .schedule(let id)?:
        let item = tab.source.item(.schedule(id), in: screen.model)
        return item.map { "schedule \($0.name)" }
      case nil: return nil
      }
    case let tab as ListTab<SettingsSource>:
      return tab.list.selection.map { id in
        switch id {
        case .server(let id): "server \(id.text)"
        case .device(_, let device): "device \(device)"
        case .rule(_, let rule): "rule \(rule)"
        case .setting(let name): "setting \(name)"
        }
      }
    case let tab as ChatTab: return tab.session.map { "chat \($0.sessionID)" }
    default: return nil
    }
  }
}
