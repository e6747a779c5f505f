// SPDX-License-Identifier: MIT

/// A page of the manual.
public struct ManualPage: Sendable {
  /// The name by which man finds the page, such as `oppi-ask`.
  public var name: String { reference.name }

  /// The section of the manual.
  public var section: Int { reference.section }

  /// The name of the page's file, such as `oppi-ask.1`.
  public var fileName: String { "\(name).\(section)" }

  /// The page as mdoc(7) source, no line longer than 80 bytes unless a word is.
  public var source: String { makeSource() }

  let reference: PageReference

  /// The name without the program's; that of the program itself for its own page.
  let shortName: String

  // Made when it is asked for: most callers want one page.
  let makeSource: @Sendable () -> String
}

/// What leads from one page to another.
struct PageReference: Sendable, Hashable, Comparable {
  let name: String
  let section: Int

  /// The macro that a reader can follow.
  var macro: String { "Xr \(MdocWriter.words(name)) \(section)" }

  /// The order of mdoc(7): by section, then by name.
  static func < (a: PageReference, b: PageReference) -> Bool {
    (a.section, a.name) < (b.section, b.name)
  }
}
