// SPDX-License-Identifier: MIT

/// The status lines of the agent's extensions, which persist across turns.
struct StatusLines: Sendable {
  private(set) var all: [ExtensionStatus] = []

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

  /// Removes all lines because the agent and its extensions are gone.
  mutating func clear() { all = [] }
}
