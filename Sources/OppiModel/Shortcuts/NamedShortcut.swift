// SPDX-License-Identifier: MIT

package struct NamedShortcut: Sendable, Equatable {
  package let name: ShortcutName
  package let shortcut: Shortcut

  package init(name: ShortcutName, shortcut: Shortcut) {
    (self.name, self.shortcut) = (name, shortcut)
  }

  /// The placeholders that a run has to set.
  package var needed: [String] {
    shortcut.template.names.filter { name in
      shortcut.variables[name] == nil && name != PromptTemplate.input
        && name != RunCondition.placeholder
    }
  }
}
