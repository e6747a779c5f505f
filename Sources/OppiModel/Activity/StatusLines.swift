// SPDX-License-Identifier: MIT

/// The lines of status that the agent's extensions keep, which outlive turns.
struct StatusLines: Sendable {
  private(set) var all: [ExtensionStatus] = []

  /// Takes a line in place of what its key said before; without a text it is gone.
  mutating func set(_ key: String, _ text: String?) -> [ActivityChange] {
    let key = key.head(bytes: 100)
    let text = text?.head(bytes: 1024)
    let index = all.firstIndex { $0.key == key }
    switch (index, text) {
    case (nil, nil): return []
    case (nil, let text?):
      guard all.count < TurnActivity.companionLimit else { return [] }
      all.append(ExtensionStatus(key: key, text: text))
    case (let index?, nil): all.remove(at: index)
    case (let index?, let text?):
      guard all[index].text != text else { return [] }
      all[index].text = text
    }
    return [.statusChanged(key: key, text: text)]
  }

  /// Takes it that the agent is gone with its extensions.
  mutating func clear() { all = [] }
}
