// SPDX-License-Identifier: MIT

package import CommandTable
package import OppiTerminal

/// A value of the setting `theme`.
package enum ThemeChoice: String, ArgumentValue, CaseIterable {
  /// Dark or light, as the terminal's background; ``standard`` where it cannot be asked.
  case auto
  case dark
  case light
  case mono
  case standard

  /// `nil` if it depends on the terminal.
  var scheme: Theme.Scheme? {
    switch self {
    case .auto: nil
    case .dark: .dark
    case .light: .light
    case .mono: .mono
    case .standard: .standard
    }
  }
}

/// A value of the setting `mouse`.
package enum MouseChoice: String, ArgumentValue, CaseIterable {
  case off
  case on
}

extension Appearance: ArgumentValue {
  package static let placeholder = "APPEARANCE"

  package init(argument: String) throws(ArgumentValueError) {
    guard let appearance = Appearance(argument) else {
      throw ArgumentValueError(
        "expects attributes and colours, such as 'bold #f2b84b' or 'bright-blue on black'"
      )
    }
    self = appearance
  }
}

extension ConfigFile.Settings {
  /// The appearances that replace those of the theme.
  ///
  /// - Throws: `OppiError` if the file has an invalid one.
  func colors() throws(OppiError) -> [Style: Appearance] {
    var colors: [Style: Appearance] = [:]
    for style in Style.allCases { colors[style] = try value(of: .color(of: style)) }
    return colors
  }
}

extension Style {
  /// What has this style, for the help of the settings.
  var summary: String {
    switch self {
    case .plain: "Text"
    case .title: "Headings of the first level"
    case .heading: "Headings"
    case .name: "The most important text of a row"
    case .dim: "Additional information"
    case .accent: "What is running or has the keys"
    case .success: "What succeeded"
    case .warning: "What requires your attention, or is not as expected"
    case .error: "What failed"
    case .unknown: "What has an unknown outcome"
    case .code: "Commands and code"
    case .emphasis: "Emphasis"
    case .strong: "Strong emphasis"
    case .link: "Links"
    case .deleted: "Text that is struck through"
    case .added: "Lines that a change adds"
    case .removed: "Lines that a change removes"
    case .selection: "The selected row"
    case .keyword: "Keywords of source code"
    case .string: "Strings of source code"
    case .number: "Numbers of source code"
    case .type: "Types of source code"
    case .comment: "Comments of source code"
    }
  }
}
