// SPDX-License-Identifier: MIT

struct ChildSessions: Sendable {
  private(set) var all: [ChildSession] = []

  mutating func update(_ child: ChildSession) -> [ActivityChange] {
    if let index = all.firstIndex(where: { $0.id == child.id }) {
      guard all[index] != child else { return [] }
      all[index] = child
    } else {
      guard all.count < TurnActivity.companionLimit else { return [] }
      all.append(child)
    }
    return [.child(child)]
  }
}
