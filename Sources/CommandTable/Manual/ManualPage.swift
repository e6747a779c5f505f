// SPDX-License-Identifier: MIT

/// A page of the manual.
public struct ManualPage: Sendable {
  /// The name for man(1), such as `oppi-ask`.
  public var name: String { reference.name }

  /// The section of the manual.
  public var section: Int { reference.section }

  /// The name of the page's file, such as `oppi-ask.1`.
  public var fileName: String { "\(name).\(section)" }

  /// The page as mdoc(7) source; lines have at most 80 bytes unless a single word is longer.
  public var source: String { makeSource() }

  let reference: PageReference

  /// The name without the program's; for the program's own page, the program's name.
  let shortName: String

  // Lazy: most callers need one page.
  let makeSource: @Sendable () -> String
}

/// The name and section of a page.
struct PageReference: Sendable, Hashable, Comparable {
  let name: String
  let section: Int

  /// The macro that readers show as a link.
  var macro: String { "Xr \(MdocWriter.words(name)) \(section)" }

  /// The order that mdoc(7) requires: by section, then by name.
  static func < (a: PageReference, b: PageReference) -> Bool {
    (a.section, a.name) < (b.section, b.name)
  }
}
