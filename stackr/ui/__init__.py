"""What the user sees: text, tables, trees and JSON."""
